"""Why a triple holds: every inferred one has a proof whose leaves are asserted and whose steps are uses of rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import Phase, assume, given, settings
from pyoxigraph import NamedNode, QuerySolutions

from kgreason.engine import engine
from kgreason.engine.program.encoding import encode_all
from kgreason.errors import InputError, QueryError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.ontology.twins import twins
from kgreason.options import SchemaMode
from kgreason.proofs.engine_facts import without_hidden
from kgreason.proofs.proof import Proof
from kgreason.rules.model import FALSE, Atom, Variable, contradiction
from kgreason.rules.parser import ruleset
from tests.graph.axioms.test_closure import without_datatypes
from tests.graph.commits.test_edits import commit
from tests.graph.histories import Edit, Model, histories
from tests.graph.states import in_default, triples_of
from tests.oracle import datalog
from tests.oracle.notation import triples
from tests.oracle.tables.table8 import are_apart
from tests.oracle.vocabulary import SAME_AS
from tests.volume import many

TOLD = ("datatypes", "twins")
OF_RESTRICTIONS = ("scm-hv", "scm-svf1", "scm-svf2", "scm-avf1", "scm-avf2")
NAMES = ("eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o", "eq-diff1")
EQUALITY = [rule for rule in ruleset("owl2rl").rules if rule.name in NAMES]
"""What is told of representatives."""
RESTRICTIONS = [rule for rule in ruleset("owl2rl").rules if rule.name in OF_RESTRICTIONS]
"""What is told of restrictions without twins."""


def check(proof: Proof, graph: KnowledgeGraph, model: Model) -> None:
    """Every step is asserted or a use of a rule in force, whose axioms are facts of the graph.

    What a rule has to know of literals is no premise, as it is none in Table 8. What rules of twins.dl have to know of
    restrictions is told as the triples that say it.
    """
    in_force = graph._committer().materializer.rules
    own = graph._committer().materializer.own
    rules = {*in_force, *map(without_hidden, in_force), *own, *EQUALITY, *RESTRICTIONS}
    names = {rule.name for rule in rules}
    closure = model.closure() | triples_of(graph._committer().materializer)
    for step in proof.steps():
        if step.rule is None:
            assert step.fact.terms in model.asserted
        elif step.rule.group == "twins":
            assert step.rule.name in names
            assert is_use(step)
        elif step.rule.group == "datatypes":
            assert step.rule.name in names
            assert is_use(step) if step.rule.body else step.fact.terms in closure
        elif step.rule.group == "representatives" and step.fact.relation is not None:  # eq-rep-* for a relation
            assert step.rule.name in names
            assert is_use(step)
        else:
            assert step.rule in rules
            assert closure.issuperset(step.rule.sources)
            assert is_use(step)


def is_use(step: Proof) -> bool:
    """Whether the premises are the body of the rule, and the fact a head, under one substitution."""
    assert step.rule is not None
    rule = datalog.convert(without_hidden(step.rule))
    binding: datalog.Substitution | None = {}
    for atom, premise in zip(rule.body, step.premises, strict=True):
        assert binding is not None
        relation, terms = datalog.plain(premise.fact)
        binding = datalog.match(atom, (relation, terms), binding) if relation == atom.relation else None
    assert binding is not None
    if step.rule.heads == (FALSE,):
        constants = [term for term in contradiction(step.rule).terms if not isinstance(term, Variable)]
        return step.fact == Atom("false", (constants[0], *binding.values(), *constants[1:]))
    return datalog.plain(step.fact) in {datalog.ground(head, binding) for head in rule.heads}


LETTER = "owl2rl+eq-spellings"
"""Every triple of the closure is shown, so it has a proof."""


def check_proofs(edits: list[Edit], schema: SchemaMode) -> None:
    model = Model(schema=schema)
    with KnowledgeGraph.open(schema=schema, rules=[LETTER]) as graph:
        for edit in edits:
            commit(graph, edit)
            model = model.after(edit)
        represented = twins(model.asserted)
        for triple in (each for each in without_datatypes(model.closure()) if represented.keys().isdisjoint(each)):
            proof = graph.explain(triple)
            assert proof.fact == Atom(None, triple)
            assert proof.is_asserted == (triple in model.asserted)
            check(proof, graph, model)
        for proof in graph.prove_contradictions():
            check(proof, graph, model)
        assert len(graph.prove_contradictions()) == len(graph.contradictions())


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_a_contradiction_of_literals_has_a_proof(schema: SchemaMode) -> None:
    """Found by `test_every_fact_has_a_proof`: what the rule asks of literals is no premise."""
    added = triples('j value "1.0"^^xsd:decimal . value rdf:type owl:FunctionalProperty . m value "x" . j owl:sameAs m')
    check_proofs([Edit((), tuple((*triple, None) for triple in sorted(added)))], schema)


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_a_term_that_is_different_from_itself_has_a_proof(schema: SchemaMode) -> None:
    """Found by `test_every_fact_has_a_proof`: a representative that is equal to itself by a link."""
    added = triples("i owl:differentFrom i . i value j . m value j . value rdf:type owl:InverseFunctionalProperty")
    check_proofs([Edit((), tuple((*triple, None) for triple in sorted(added)))], schema)


@pytest.mark.parametrize("schema", ["axioms", "data"])
@settings(max_examples=many(25), phases=[Phase.generate])
@given(edits=histories())
def test_every_fact_has_a_proof(schema: SchemaMode, edits: list[Edit]) -> None:
    check_proofs(edits, schema)


@settings(max_examples=6)
@given(edits=histories(steps=1))
def test_all_derivations_are_found(edits: list[Edit]) -> None:
    """Those of the facts that there are: `x owl:sameAs x` is none unless it is asserted.

    By the plain rules: of equal terms a graph keeps the derivations of representatives. What follows from the values of
    literals alone has no premises. Of restrictions that say the same, or that owl:Thing has to do with, there are
    others than those of the tables.
    """
    model = Model()
    with KnowledgeGraph.open(same_as="rules", rules=[LETTER]) as graph:
        for edit in edits:
            commit(graph, edit)
            model = model.after(edit)
        materializer = graph._committer().materializer
        assume(without_datatypes(triples_of(materializer)) == without_datatypes(model.closure()))
        assume(
            not materializer.twins
            or not any(fact.relation in ("scm_twin", "scm_odd") for fact in materializer.twins.facts)
        )
        rules = {*(rule for rule in materializer.rules if rule.group != "twins"), *RESTRICTIONS}
        same = [(s, o) for s, p, o in model.closure() if p == SAME_AS and s != o]
        links = [("dt_may_equal", pair) for pair in same if not are_apart(*pair)]
        facts = datalog.close([*links, *((None, triple) for triple in model.closure())], rules)
        present = datalog.Index(fact for fact in facts if is_there(fact, model))
        found = list(datalog.derivations(present, datalog.rule_set(rules)))
        for triple in sorted(without_datatypes(model.closure()))[::3]:
            expected = {each[:2] for each in found if (None, triple) in each.heads}
            proofs = [proof for proof in graph.explain_all(triple) if proof.rule and proof.rule.group not in TOLD]
            assert len(proofs) == len(expected)
            for proof in proofs:
                assert proof.fact.terms == triple
                check(proof, graph, model)


def is_there(fact: datalog.Fact, model: Model) -> bool:
    relation, terms = fact
    return relation is not None or (terms[1], terms[0]) != (SAME_AS, terms[2]) or terms in model.asserted


TAXONOMY = "Dog rdfs:subClassOf Animal . Animal rdfs:subClassOf Being . rex rdf:type Dog"
BEING = ("<http://example.org/rex>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://example.org/Being>")


@pytest.mark.parametrize("is_on_disk", [True, False])
def test_a_proof_as_text_json_and_drawing(tmp_path: Path, is_on_disk: bool) -> None:
    with KnowledgeGraph.open(tmp_path / "store" if is_on_disk else None) as graph:
        commit(graph, Edit(added=tuple(in_default(triples(TAXONOMY)))))
        written = graph.explain(BEING).to_text({"": "http://example.org/"})
    with KnowledgeGraph.open(tmp_path / "store" if is_on_disk else None, read_only=is_on_disk) as graph:
        if not is_on_disk:
            commit(graph, Edit(added=tuple(in_default(triples(TAXONOMY)))))
        proof = graph.explain(BEING)
        assert proof.to_text({"": "http://example.org/"}) == written
        assert "by cax-sco" in written
        assert "with the axiom :Dog" in written
        assert written.splitlines()[-1].strip() == ":rex a :Dog (asserted)"
        assert json.loads(json.dumps(proof.to_json()))["steps"][0]["asserted"]
        assert proof.to_mermaid().startswith("flowchart")
        [only] = graph.explain_all(BEING)
        assert only.to_text() == proof.to_text()
        assert graph.explain_all((*BEING[:2], "<http://example.org/Dog>")) == []


def test_a_proof_follows_the_edits() -> None:
    with KnowledgeGraph.open() as graph:
        commit(graph, Edit(added=tuple(in_default(triples(f"{TAXONOMY} . rex rdf:type Animal")))))
        assert len(graph.explain(BEING).steps()) == 2
        commit(graph, Edit(tuple(in_default(triples("rex rdf:type Animal")))))
        assert len(graph.explain(BEING).steps()) == 3
        commit(graph, Edit(added=((*BEING, None),)))
        assert graph.explain(BEING).is_asserted
        assert len(graph.explain_all(BEING)) == 1
        commit(graph, Edit(tuple(in_default(triples("rex rdf:type Dog . rex rdf:type Being")))))
        with pytest.raises(QueryError, match="does not have this triple"):
            graph.explain(BEING)


SUB_PROPERTY = "<http://www.w3.org/2000/01/rdf-schema#subPropertyOf>"


def test_a_proof_encodes_the_rules_only_after_they_have_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []

    def counting(rules: Any, *rest: Any) -> Any:
        encoded.append(len(rules))
        return encode_all(rules, *rest)

    def proved() -> tuple[str, bool]:
        """The last rule of the proof that tom is an animal, and whether rules were encoded for the proof."""
        encoded.clear()
        rule = graph.explain("<http://e/tom> a <http://e/Animal>").rule
        assert rule is not None
        return rule.name, bool(encoded)

    monkeypatch.setattr(engine, "encode_all", counting)
    axiom = "<http://e/eats> <http://www.w3.org/2000/01/rdf-schema#domain> <http://e/Animal> ."
    subclass = "<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal> ."
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.add(f"{subclass} <http://e/tom> a <http://e/Cat> .")
        assert proved() == ("rdfs9", True)
        graph.add("<http://e/kim> a <http://e/Cat> . <http://e/tom> <http://e/eats> <http://e/fish> .")
        assert proved() == ("rdfs9", False)
        with graph.what_if() as tx:
            tx.add(axiom)
        assert proved()[0] == "rdfs9"
        with graph.transaction() as tx:
            tx.add(axiom).remove(subclass)
        assert proved() == ("rdfs2", True)
        assert proved() == ("rdfs2", False)


def test_an_absent_triple_has_no_proof() -> None:
    with KnowledgeGraph.open() as graph, pytest.raises(QueryError, match="<http://e/a> <http://e/b> <http://e/c>: the"):
        graph.explain(("<http://e/a>", "<http://e/b>", "<http://e/c>"))


@pytest.mark.parametrize("item", [("<http://e/a>", "<http://e/b>"), "a b c", ("http://e/a", "<http://e/b>", "1"), None])
def test_a_text_that_is_no_triple_has_no_proof(item: Any) -> None:
    problem = "or a tuple of three terms|2 terms; pass three|not a triple|the object '1' is not a term"
    with KnowledgeGraph.open() as graph, pytest.raises(InputError, match=problem):
        graph.explain(item)


@pytest.mark.parametrize(
    "rule",
    [
        "[?x, :uncle, ?z] :- [?x, :parent, ?y], [?y, :brother, ?z] .",
        "[?x, :uncle, ?z], [?z, :nephew, ?x] :- [?y, :brother, ?z], [?x, :parent, ?y] .",
    ],
)
def test_a_rule_of_the_user_is_shown_as_it_was_written(rule: str) -> None:
    prefixes = {"": "http://e/"}
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add(":ann :parent :eve . :eve :brother :bob .", prefixes=prefixes)
            tx.add_rules(f"@prefix : <http://e/> . @rule uncle {rule}")
        lines = graph.explain((":ann", ":uncle", ":bob"), prefixes=prefixes).to_text(prefixes).splitlines()
    assert lines[1] == f"    by uncle: {rule}"
    first = "    :ann :parent :eve (asserted)" if "[?x, :parent, ?y], " in rule else "    :eve :brother :bob (asserted)"
    assert lines[2] == first


@pytest.mark.parametrize("text", ['"01"^^<{}integer>', '"1.50"^^<{}decimal>', '"x"@EN', '"7"^^<{}byte>'])
def test_a_literal_as_it_was_written_and_as_a_query_shows_it(text: str) -> None:
    written = "<http://e/a>", "<http://e/q>", text.format("http://www.w3.org/2001/XMLSchema#")
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(("<http://e/p>", SUB_PROPERTY, "<http://e/q>"), ("<http://e/a>", "<http://e/p>", written[2]))
        [row] = cast(QuerySolutions, graph.query("SELECT ?o { <http://e/a> <http://e/q> ?o }"))
        shown = NamedNode("http://e/a"), NamedNode("http://e/q"), row["o"]
        [solution] = cast(QuerySolutions, graph.query("SELECT ?s ?p ?o { ?s ?p ?o FILTER(?p = <http://e/q>) }"))
        [quad] = graph.match(None, shown[1])
        text = " ".join(written)
        proofs = [graph.explain(item) for item in (shown, written, text, f"{text}.", quad, quad.triple, solution)]
        assert len({proof.to_text() for proof in proofs}) == 1


def test_a_store_refuses_what_it_does_not_have_before_the_engine_runs(tmp_path: Path) -> None:
    """And nothing that it has: literals in each form, blank nodes, generalised triples, named graphs."""
    e, integer = "http://e/", "<http://www.w3.org/2001/XMLSchema#integer>"
    with KnowledgeGraph.open(tmp_path) as graph, graph.transaction() as tx:
        inverse = f"<{e}p> <http://www.w3.org/2002/07/owl#inverseOf> <{e}q> ."
        tx.add(inverse, f'<{e}a> <{e}p> "07"^^{integer} .', f"<{e}g> {{ <{e}a> <{e}p> <{e}b> . }}")
        tx.add(("_:x", f"<{e}p>", "_:y"))
    present: list[tuple[str, str, str]] = [
        (f"<{e}a>", f"<{e}p>", f'"07"^^{integer}'),
        (f"<{e}a>", f"<{e}p>", f'"7"^^{integer}'),
        (f"<{e}a>", f"<{e}p>", f"<{e}b>"),
        ("_:x", f"<{e}p>", "_:y"),
        (f"<{e}b>", f"<{e}q>", f"<{e}a>"),
        (f'"07"^^{integer}', f"<{e}q>", f"<{e}a>"),
    ]
    for triple in present:
        with KnowledgeGraph.open(tmp_path, read_only=True) as graph:
            graph.check_known(triple)
            assert not graph._state.is_running
            assert graph.explain(triple).steps()
    for absent in ((f"<{e}a>", f"<{e}p>", f'"8"^^{integer}'), ("_:z", f"<{e}p>", "_:y")):
        with KnowledgeGraph.open(tmp_path, read_only=True) as graph:
            for ask in (graph.explain, graph.explain_all, graph.check_known):
                with pytest.raises(QueryError, match="the graph does not have this triple"):
                    ask(absent)
            assert not graph._state.is_running


def test_own_rules_are_known_without_the_engine(tmp_path: Path) -> None:
    rules = tmp_path / "own.dl"
    rules.write_text("@rule first p(?x) :- q(?x) .")
    store = tmp_path / "store"
    with KnowledgeGraph.open(store, rules=["rdfs", rules]) as graph:
        assert [rule.name for rule in graph.own_rules()] == ["first"]
        graph.update("INSERT DATA { <http://e/a> <http://e/p> <http://e/b> }")
    for added, removed, expected in (("second", None, "first second"), (None, "first", "second")):
        with KnowledgeGraph.open(store) as graph:
            with graph.transaction() as tx:
                if added:
                    tx.add_rules(f"@rule {added} r(?x) :- q(?x) .")
                if removed:
                    tx.remove_rules(removed)
            assert [rule.name for rule in graph.own_rules()] == expected.split()
        with KnowledgeGraph.open(store, read_only=True) as graph:
            assert [rule.name for rule in graph.own_rules()] == expected.split()
            assert not graph._state.is_running
