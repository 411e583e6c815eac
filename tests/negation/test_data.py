"""DATA in a graph: asserted flags alone, named graphs, deltas, proofs, what_if, reopening, equal terms, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import LimitError, RuleError
from kgreason.tables import TableProgram

NAMES = {"": "http://e/", "rdfs": "http://www.w3.org/2000/01/rdf-schema#", "owl": "http://www.w3.org/2002/07/owl#"}
HEADER = "@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
TOLD = f"""{HEADER}
    @rule told
    :Told[?x] :- DATA [?x, a, :Dog] .
    @rule guessed
    :Guessed[?x] :- [?x, a, :Dog], NOT DATA [?x, a, :Dog] .
"""


def graph(rules: str = TOLD, data: str = "", path: Path | None = None, names: str = "owl2rl") -> KnowledgeGraph:
    found = KnowledgeGraph.open(path, rules=[names])
    with found.transaction() as transaction:
        transaction.add_rules(rules)
    if data:
        found.add(data, prefixes=NAMES)
    return found


def members(found: KnowledgeGraph, kind: str) -> list[str]:
    quads = found.match(None, "a", kind, prefixes=NAMES)
    return sorted(str(quad.subject).removeprefix("<http://e/").removesuffix(">") for quad in quads)


def test_rules_see_what_users_said() -> None:
    found = graph(data=":Puppy rdfs:subClassOf :Dog . :rex a :Dog . :fido a :Puppy .")
    assert members(found, ":Dog") == ["fido", "rex"]
    assert (members(found, ":Told"), members(found, ":Guessed")) == (["rex"], ["fido"])


def test_a_lost_flag_alone_is_a_change() -> None:
    found = graph(data=":Puppy rdfs:subClassOf :Dog . :fido a :Puppy , :Dog .")
    assert members(found, ":Told") == ["fido"]
    delta = found.remove(":fido a :Dog .", prefixes=NAMES)
    assert [str(terms[2]) for terms in delta.disappeared()] == ["<http://e/Told>"]
    assert [str(terms[2]) for terms in delta.appeared()] == ["<http://e/Guessed>"]
    delta = found.add(":fido a :Dog .", prefixes=NAMES)
    assert [str(terms[2]) for terms in delta.appeared()] == ["<http://e/Told>"]


def test_a_triple_of_any_graph_is_asserted() -> None:
    found = graph(data=":Puppy rdfs:subClassOf :Dog . :fido a :Puppy .")
    for name in ("one", "two"):
        found.update(f"INSERT DATA {{ GRAPH <http://e/{name}> {{ <http://e/fido> a <http://e/Dog> }} }}")
    assert members(found, ":Told") == ["fido"]
    found.update("DROP GRAPH <http://e/one>")
    assert members(found, ":Told") == ["fido"]
    found.update("DROP GRAPH <http://e/two>")
    assert (members(found, ":Told"), members(found, ":Guessed")) == ([], ["fido"])


def test_hidden_facts_are_the_asserted_triples_that_match() -> None:
    found = graph(data=":rex a :Dog . :tom a :Cat ; :knows :rex .", names="none")
    before = found.stats()["hidden"]
    with found.transaction() as transaction:
        transaction.add_rules(f"{HEADER} @rule known :Known[?y] :- DATA [?x, :knows, ?y] .")
    assert found.stats()["hidden"] == before + 1
    assert not any(b"DATA" in line for line in found.dump())
    with found.transaction() as transaction:
        transaction.remove_rules("known")
    assert found.stats()["hidden"] == before
    with found.transaction() as transaction:
        transaction.remove_rules("told").remove_rules("guessed")
    assert found.stats()["hidden"] == 0


def test_patterns_of_two_rules_may_overlap() -> None:
    rules = f"{HEADER} @rule one q(?x) :- DATA [?x, :p, ?y] . @rule two :Two[?x] :- DATA [?x, ?q, :b] ."
    found = graph(rules, ":a :p :b .", names="none")
    with found.transaction() as transaction:
        transaction.remove_rules("one")
    assert members(found, ":Two") == ["a"]
    found.remove(":a :p :b .", prefixes=NAMES)
    assert members(found, ":Two") == []


def test_rules_and_triples_may_change_in_one_commit() -> None:
    found = graph(f"{HEADER} :P[?x] :- DATA [?x, :p, ?x] .", ":a :p :a , :b . :b :p :b .", names="none")
    with found.transaction() as transaction:
        transaction.add_rules(f"{HEADER} @rule new :Q[?y] :- DATA [:a, :p, ?y], NOT DATA [?y, :p, ?y] .")
        transaction.remove(":b :p :b .", prefixes=NAMES).add(":c :p :c . :a :p :c , :d .", prefixes=NAMES)
    assert (members(found, ":P"), members(found, ":Q")) == (["a", "c"], ["b", "d"])


def test_a_proof_shows_what_is_asserted() -> None:
    found = graph(data=":Puppy rdfs:subClassOf :Dog . :rex a :Dog . :fido a :Puppy .")
    assert found.explain(":rex a :Told", prefixes=NAMES).to_text(NAMES).endswith("    :rex a :Dog (asserted)\n")
    guessed = found.explain(":fido a :Guessed", prefixes=NAMES)
    assert guessed.to_text(NAMES).endswith("    no DATA [:fido, a, :Dog]\n")
    assert [proof.to_text(NAMES) for proof in found.explain_all(":rex a :Told", prefixes=NAMES)] == [
        ":rex a :Told\n    by told: [?x, a, :Told] :- DATA [?x, a, :Dog] .\n    :rex a :Dog (asserted)\n"
    ]


def test_a_contradiction_may_be_about_what_is_asserted() -> None:
    found = graph(f"{HEADER} @rule twice false :- DATA [?x, :p, ?y], NOT DATA [?y, :q, ?x] .", ":a :p :b .")
    assert [each.to_text(NAMES) for each in found.contradictions()] == [
        "twice: this cannot hold: :a :p :b, no DATA [:b, :q, :a]"
    ]
    found.add(":b :q :a .", prefixes=NAMES)
    assert not found.contradictions()


def test_a_what_if_leaves_no_trace() -> None:
    found = graph(data=":Puppy rdfs:subClassOf :Dog . :fido a :Puppy , :Dog .")
    with found.what_if() as asked:
        asked.remove(":fido a :Dog .", prefixes=NAMES)
    assert [str(terms[2]) for terms in asked.delta.appeared()] == ["<http://e/Guessed>"]
    assert (members(found, ":Told"), members(found, ":Guessed")) == (["fido"], [])
    found.add(":rex a :Dog .", prefixes=NAMES)
    assert members(found, ":Told") == ["fido", "rex"]


def test_a_commit_that_fails_changes_nothing() -> None:
    found = KnowledgeGraph.open(rules=[], budget=40)
    with found.transaction() as transaction:
        transaction.add_rules(f"{HEADER} [?x, :q, ?y] :- DATA [?x, :d, ?z], DATA [?y, :d, ?w] .")
    found.add(":a :d :a .", prefixes=NAMES)
    before = sorted(found.dump()), found.stats()["hidden"]
    with pytest.raises(LimitError):
        found.add(" . ".join(f":n{number} :d :a" for number in range(9)) + " .", prefixes=NAMES)
    assert (sorted(found.dump()), found.stats()["hidden"]) == before
    assert len(list(found.add(":b :d :a .", prefixes=NAMES).appeared())) == 4


def test_a_store_that_is_opened_again_goes_on(tmp_path: Path) -> None:
    graph(data=":Puppy rdfs:subClassOf :Dog . :rex a :Dog . :fido a :Puppy .", path=tmp_path / "store").close()
    with KnowledgeGraph.open(tmp_path / "store") as found:
        hidden = found.stats()["hidden"]
        found.update("PREFIX : <http://e/> DELETE DATA { :rex a :Dog } ; INSERT DATA { :fido a :Dog }")
        assert (members(found, ":Told"), members(found, ":Guessed")) == (["fido"], [])
        assert found.stats()["hidden"] == hidden - 2  # nobody asks for :rex, and for :fido nothing is absent
    with KnowledgeGraph.open(tmp_path / "store") as found:
        found.add(":rob a :Dog .", prefixes=NAMES)
        assert members(found, ":Told") == ["fido", "rob"]
        with found.transaction() as transaction:
            transaction.remove_rules("told")
        assert members(found, ":Told") == []


def test_equal_terms_are_one_individual() -> None:
    rules = f"{HEADER} @rule q [?x, :q, ?y] :- DATA [?x, :p, ?y], [?x, :r, ?z] . @rule k :K[?y] :- DATA [:k, :s, ?y] ."
    found = graph(rules, ":a :p :b ; :s :b . :a2 :r :c .")
    assert not found.ask("PREFIX : <http://e/> ASK { ?x :q ?y }")
    found.add(":a owl:sameAs :a2 , :k .", prefixes=NAMES)
    assert found.ask("PREFIX : <http://e/> ASK { :a :q :b . :a2 :q :b }")
    assert members(found, ":K") == ["b"]
    assert ":a :p :b (asserted)" in found.explain(":a2 :q :b", prefixes=NAMES).to_text(NAMES)
    found.remove(":a owl:sameAs :k .", prefixes=NAMES)
    assert members(found, ":K") == []
    found.remove(":a owl:sameAs :a2 .", prefixes=NAMES)
    assert not found.ask("PREFIX : <http://e/> ASK { ?x :q ?y }")


def test_a_link_that_follows_from_itself_does_not_hold() -> None:
    rules = f"{HEADER} [?x, owl:sameAs, :k] :- DATA [:k, :p, ?y], [?x, :p, ?y] ."
    found = graph(rules, ":a :p :b ; owl:sameAs :k .")
    assert found.ask("PREFIX : <http://e/> ASK { :k :p :b }")
    found.remove(":a owl:sameAs :k .", prefixes=NAMES)
    assert not found.ask("PREFIX : <http://e/> ASK { :k :p :b }")


def test_data_in_a_head_or_on_tables_is_refused(tmp_path: Path) -> None:
    found = KnowledgeGraph.open(rules=[])
    with pytest.raises(RuleError, match="DATA cannot stand in the head"), found.transaction() as transaction:
        transaction.add_rules(f"{HEADER} DATA [?x, :p, ?x] :- [?x, :q, ?x] .")
    (tmp_path / "odd.dl").write_text("@rule odd p(?x) :- q(?x), DATA [?x, ?x, ?x] .")
    with pytest.raises(RuleError, match=r"odd\.dl:1: rule odd: a program on tables has no asserted triples"):
        TableProgram(tmp_path / "odd.dl")
