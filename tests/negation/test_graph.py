"""NOT in a graph: reopened, in deltas, proofs, contradictions, what_if and tables, and with bad input."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import LimitError, RuleError, StratificationError
from kgreason.options import SchemaMode
from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import parse
from kgreason.rules.strata import stratify
from kgreason.tables import TableProgram
from tests.histories.drawn import history
from tests.histories.history import granted
from tests.histories.individuals import change, change_rules
from tests.oracle.stratified import CircularError, perfect

NAMES = {"": "http://e/"}
STRAY = """
    @prefix : <http://e/> .
    @rule stray
    :Stray[?x] :- :Dog[?x], NOT EXISTS ?y IN ([?x, :owner, ?y]) .
    @rule hungry
    false :- :Dog[?x], NOT [?x, :fed, true], :Stray[?x] .
"""


def kennel(path: Path | None = None) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(path, rules=["owl2rl"])
    with graph.transaction() as transaction:
        transaction.add_rules(STRAY)
        transaction.add(":Dog rdfs:subClassOf :Animal . :rex a :Dog . :fido a :Dog ; :owner :tom .", prefixes=PREFIXES)
    return graph


PREFIXES = {**NAMES, "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}


def strays(graph: KnowledgeGraph) -> set[str]:
    found = graph.match(None, "a", ":Stray", prefixes=NAMES)
    return {str(quad.subject).removeprefix("<http://e/").removesuffix(">") for quad in found}


def test_a_delta_has_what_follows_from_absence_and_nothing_hidden() -> None:
    graph = kennel()
    delta = graph.add(":rex :owner :ann .", prefixes=NAMES)
    assert [str(terms[2]) for terms in delta.disappeared()] == ["<http://e/Stray>"]
    assert len(list(delta.appeared())) == 1


def test_a_what_if_of_a_removal_leaves_no_trace() -> None:
    graph = kennel()
    with graph.what_if() as asked:
        asked.remove(":fido :owner :tom .", prefixes=NAMES)
    assert [str(terms[0]) for terms in asked.delta.appeared()] == ["<http://e/fido>"]
    assert strays(graph) == {"rex"}


def test_a_contradiction_names_what_is_absent() -> None:
    graph = kennel()
    (found,) = graph.contradictions()
    assert found.to_text(NAMES) == "hungry: this cannot hold: :rex a :Dog, :rex a :Stray, no [:rex, :fed, true]"
    graph.add(":rex :fed true .", prefixes=NAMES)
    assert not graph.contradictions()


def test_a_proof_shows_what_is_absent() -> None:
    graph = kennel()
    proof = graph.explain(":rex a :Stray", prefixes=NAMES)
    assert proof.to_text(NAMES).endswith("    :rex a :Dog (asserted)\n    no [:rex, :owner, ?v1]\n")
    absent = [step for step in proof.to_json()["steps"] if "absent" in step]
    assert [step["absent"] for step in absent] == [
        "NOT EXISTS ?v1 IN ([<http://e/rex>, <http://e/owner>, ?v1])",
    ]
    assert "no [:rex, :owner, ?v1]" in proof.to_mermaid(NAMES).replace("#45;", "-")


def test_a_store_that_is_opened_again_goes_on(tmp_path: Path) -> None:
    kennel(tmp_path / "store").close()
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert strays(graph) == {"rex"}
        graph.update("PREFIX : <http://e/> DELETE DATA { :fido :owner :tom } ; INSERT DATA { :rex :owner :tom }")
        assert strays(graph) == {"fido"}
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(":rob a :Dog .", prefixes=NAMES)
        assert strays(graph) == {"fido", "rob"}
        assert "no [" in str(graph.explain(":rob a :Stray", prefixes=NAMES).to_text(NAMES))


def test_facts_that_close_a_circle_are_refused_and_nothing_changes() -> None:
    graph = KnowledgeGraph.open(rules=["owl2rl"], schema="data")
    with graph.transaction() as transaction:
        transaction.add_rules("@prefix : <http://e/> . @rule r [?x, :q, ?x] :- [?x, :d, ?x], NOT [?x, :p, ?x] .")
    graph.add(":a :d :a .", prefixes=NAMES)
    with pytest.raises(StratificationError, match=r"rule r|decided for"):
        graph.add(":q rdfs:subPropertyOf :p .", prefixes=PREFIXES)
    assert graph.ask("PREFIX : <http://e/> ASK { :a :q :a FILTER NOT EXISTS { :a :p :a } }")
    graph.add(":b :d :b . :b :p :b .", prefixes=NAMES)
    assert not graph.ask("PREFIX : <http://e/> ASK { :b :q :b }")


def test_a_budget_that_runs_out_between_levels_changes_nothing() -> None:
    graph = KnowledgeGraph.open(rules=[], budget=40)
    with graph.transaction() as transaction:
        transaction.add_rules("@prefix : <http://e/> . [?x, :q, ?y] :- [?x, :d, ?z], [?y, :d, ?w], NOT [?x, :p, ?y] .")
    graph.add(":a :d :a .", prefixes=NAMES)
    before = sorted(graph.dump())
    with pytest.raises(LimitError):
        graph.add(" . ".join(f":n{number} :d :a" for number in range(9)) + " .", prefixes=NAMES)
    assert sorted(graph.dump()) == before
    assert len(list(graph.add(":b :d :a .", prefixes=NAMES).appeared())) == 4


def test_a_rule_that_only_negates_has_a_proof_with_what_is_absent() -> None:
    graph = KnowledgeGraph.open(rules=[])
    with graph.transaction() as transaction:
        transaction.add_rules("@prefix : <http://e/> . [:shop, :is, :empty] :- NOT [:shop, :has, :guests] .")
    proofs = graph.explain_all(":shop :is :empty .", prefixes=NAMES)
    assert [proof.to_text(NAMES).splitlines()[-1] for proof in proofs] == ["    no [:shop, :has, :guests]"]


def test_an_inner_relation_cannot_be_negated() -> None:
    graph = KnowledgeGraph.open(rules=["owl2rl"])
    with pytest.raises(RuleError, match="eq_rep is a relation of kgreason itself"), graph.transaction() as transaction:
        transaction.add_rules("p(?x) :- q(?x), NOT eq_rep(?x, ?x) .")


def test_a_program_on_tables_may_say_not(tmp_path: Path) -> None:
    (tmp_path / "program.dl").write_text(
        "reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) . reach(?x, ?y) :- edge(?x, ?y) ."
        "sink(?y) :- edge(?x, ?y), NOT EXISTS ?z IN (edge(?y, ?z)) ."
        "apart(?x, ?y) :- node(?x), node(?y), NOT reach(?x, ?y), NOT sink(?y) ."
    )
    (tmp_path / "edge.facts").write_text("a\tb\nb\tc\nc\ta\nc\td\n")
    (tmp_path / "node.facts").write_text("a\nb\nd\n")
    program = TableProgram(tmp_path / "program.dl")
    program.read(tmp_path, lambda _: None)
    program.evaluate(lambda _: None)
    counts = program.write(tmp_path / "out", lambda _: None)
    assert counts == {"reach": 12, "sink": 1, "apart": 2}
    assert (tmp_path / "out" / "sink.csv").read_text().split() == ["d"]


def test_a_circular_program_on_tables_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "odd.dl").write_text("@rule odd p(?x) :- q(?x), NOT p(?x) .")
    told = r"odd\.dl: rules say NOT in a circle, .*: rule odd \(from .*odd\.dl:1\) says NOT p"
    with pytest.raises(RuleError, match=told):
        TableProgram(tmp_path / "odd.dl")


def test_a_circle_tells_the_lines_of_new_rules_and_the_files_of_stored_ones(tmp_path: Path) -> None:
    old, new, query = tmp_path / "old.dl", tmp_path / "new.srl", tmp_path / "rule.rq"
    old.write_text("@prefix : <http://e/> .\n@rule stray\n:Stray[?x] :- :Dog[?x], NOT :Owned[?x] .")
    new.write_text("PREFIX : <http://e/>\n\nRULE :guess { ?x a :Owned } WHERE { ?x a :Stray }")
    query.write_text("PREFIX : <http://e/>\nCONSTRUCT { ?x a :Owned }\nWHERE { ?x a :Stray }")
    with KnowledgeGraph.open(tmp_path / "store", rules=[old]) as graph:
        graph.add(":rex a :Dog .", prefixes=NAMES)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        for path, place in ((new, "new.srl:3"), (query, "rule.rq:2")):
            with pytest.raises(StratificationError) as error, graph.transaction() as tx:
                tx.load_rules(path)
            assert f"(from {old}) says NOT" in str(error.value)
            assert f"(from {tmp_path}/{place}), which needs rule stray (from {old})" in str(error.value)


@pytest.mark.parametrize("seed", range(6))
def test_a_history_on_disk_survives_reopening(seed: int, tmp_path: Path) -> None:
    KnowledgeGraph.open(tmp_path / "store", rules=[]).close()
    asserted, rules = dict[Atom, None](), dict[Rule, None]()
    for commit in history(seed, "not", "circles"):
        after, rules_after = granted(asserted, commit.facts), granted(rules, commit.rules)
        try:
            wanted = perfect(after, rules_after)
        except CircularError:
            continue
        with KnowledgeGraph.open(tmp_path / "store") as graph, graph.transaction() as tx:
            change(tx, asserted, after)
            change_rules(tx, rules, rules_after)
        asserted, rules = after, rules_after
        with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
            triples = {(str(quad.subject), str(quad.predicate), str(quad.object)) for quad in graph.match()}
            assert triples == {terms for relation, terms in wanted if relation is None}


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_a_negation_waits_for_rules_that_derive_axioms(schema: SchemaMode) -> None:
    graph = KnowledgeGraph.open(rules=["rdfs"], schema=schema)
    with graph.transaction() as transaction:
        transaction.add_rules(
            "@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
            "[:pp, rdfs:domain, :CC] :- [:x, :start, :y] ."
            "[:p, rdfs:domain, :C] :- [:x, :on, :y], NOT [:x, :off, :y] ."
            "[?x, :r, ?y] :- [?x, :s, ?y], NOT [?x, a, :C] ."
        )
    graph.add(":x :start :y .", prefixes=NAMES)
    graph.add(":a :s :b ; :p :b . :x :on :y .", prefixes=NAMES)
    assert not graph.ask("PREFIX : <http://e/> ASK { :a :r :b }")
    graph.add(":x :off :y .", prefixes=NAMES)
    assert graph.ask("PREFIX : <http://e/> ASK { :a :r :b }")


def test_a_recursive_rule_with_guards_on_both_ends_asks_for_no_product() -> None:
    graph = KnowledgeGraph.open(rules=[])
    with graph.transaction() as transaction:
        transaction.add_rules(
            "@prefix : <http://e/> . [?x, :far, ?y] :- [?x, :start, ?y] ."
            "[?x, :far, ?z] :- :N[?x], :N[?z], [?x, :far, ?y], [?y, :e, ?z], NOT [?x, :blocked, ?z] ."
        )
    edges = " . ".join(f":n{number} a :N ; :e :n{number + 1}" for number in range(60))
    graph.add(f"{edges} . :n0 :start :n0 .", prefixes=NAMES)
    assert graph.stats()["hidden"] < 200


def test_a_long_chain_of_negations_is_no_recursion_of_python() -> None:
    count = 1_100
    rules = parse(" ".join(f"p{place + 1}(?x) :- p0(?x), NOT p{place}(?x) ." for place in reversed(range(count)))).rules
    assert max(at.level for at in stratify(rules).values()) == count


def test_a_circle_through_equality_says_so() -> None:
    graph = KnowledgeGraph.open(rules=["owl2rl"])
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> ."
    with pytest.raises(StratificationError, match="it derives owl:sameAs"), graph.transaction() as transaction:
        transaction.add_rules(f"{text} [:a, owl:sameAs, :b] :- [:x, :on, :y], NOT [:x, :off, :y] .")


def test_strata_follow_a_schema_that_only_rules_of_the_user_read() -> None:
    rules = """
        @prefix : <http://e/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        [?x, a, ?d] :- [?x, a, ?c], [?c, rdfs:subClassOf, ?d] .
        :P[?x] :- :C[?x], NOT :B[?x] .
        :A[?x] :- :Q[?x], NOT :R[?x] .
    """
    found = set[frozenset[str]]()
    for order in permutations(["rules", "schema", "data"]):
        with KnowledgeGraph.open(rules=["none"]) as graph:
            for name in order:
                with graph.transaction() as tx:
                    if name == "rules":
                        tx.add_rules(rules)
                    elif name == "schema":
                        tx.add(("http://e/A", "http://www.w3.org/2000/01/rdf-schema#subClassOf", "http://e/B"))
                    else:
                        tx.add(("http://e/x", "a", "http://e/C"), ("http://e/x", "a", "http://e/Q"))
            found.add(frozenset(str(each.object) for each in graph.match("http://e/x")))
    assert found == {frozenset(f"<http://e/{name}>" for name in "ABCQ")}
