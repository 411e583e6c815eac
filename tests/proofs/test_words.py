"""Proofs in the words of ontologists: class expressions and labels in the place of ids, and no steps along lists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason.errors import LimitError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.labels import labels
from kgreason.interrupts import watched
from kgreason.proofs.notation import fact_text
from kgreason.proofs.proof import Proof
from kgreason.proofs.words.naming import names, quote_label, terms_of
from kgreason.terms import vocabulary as v
from kgreason.wire.values import from_json, to_json
from tests.cli.calling import call, error_of, succeed

NAMES = {"": "http://e/", "rdfs": v.RDFS, "owl": v.OWL, "rdf": v.RDF}
HEAD = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in NAMES.items())
PIZZA = f"""{HEAD}
:Pizza a owl:Class ; rdfs:label "pizza"@en , "Pizza"@it . :CheeseTopping rdfs:label "cheese topping"@en .
:Margherita rdfs:subClassOf :Pizza , [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Mozzarella ] .
:CheesyPizza owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :Pizza
    [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :CheeseTopping ] ) ] .
:Mozzarella rdfs:subClassOf :CheeseTopping .
:mine a :Pizza ; :has :slice . :slice a :CheeseTopping .
"""
CHEESY = "(:Pizza and (:has some :CheeseTopping))"


def prove(rules: str, triple: str, text: str = PIZZA, **options: str) -> Proof:
    with KnowledgeGraph.open(rules=[rules], **options) as graph:  # type: ignore[arg-type]
        graph.add(text)
        return graph.explain(triple, prefixes=NAMES)


def test_a_proof_of_owl_2_el_reads_as_class_expressions() -> None:
    proof = prove("owl2el", ":Margherita rdfs:subClassOf :CheesyPizza")
    assert (
        proof.to_text(NAMES)
        == f"""\
:Margherita rdfs:subClassOf :CheesyPizza
    by el-apply
    :Margherita rdfs:subClassOf {CHEESY}
        by el-together-and
        :Margherita rdfs:subClassOf :Pizza (asserted)
        :Margherita rdfs:subClassOf (:has some :CheeseTopping)
            by el-together-some
            :Margherita rdfs:subClassOf (:has some :Mozzarella) (asserted)
            :Mozzarella rdfs:subClassOf :CheeseTopping (asserted)
    {CHEESY} rdfs:subClassOf :CheesyPizza
        by el-told-equivalent
        :CheesyPizza owl:equivalentClass {CHEESY} (asserted)
"""
    )
    assert "_:" not in str(proof)
    assert str(proof) == proof.to_text()
    full = proof.to_text(NAMES, full=True)
    assert "rdf:first" in full
    assert "el_subs(:Margherita, :CheesyPizza)" in full
    assert len(proof.to_json()["steps"]) > len(proof.folded().to_json()["steps"])


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_a_proof_of_owl_2_rl_has_no_lists(schema: str) -> None:
    text = prove("owl2rl", ":mine a :CheesyPizza", schema=schema).to_text(NAMES)
    assert f":mine a {CHEESY}\n" in text
    assert f":CheesyPizza owl:equivalentClass {CHEESY}" in text
    assert "rdf:rest" not in text.replace(", rdf:rest, ", "")  # the generic rule itself names it
    assert "_:" not in text


@pytest.mark.parametrize("work", [Proof.folded, Proof.to_json, Proof.names])
def test_to_write_a_proof_ends_at_a_limit(work: Callable[[Proof], object]) -> None:
    proof = prove("owl2el", ":Margherita rdfs:subClassOf :CheesyPizza")

    def ended() -> None:
        raise LimitError("too long")

    with watched(ended), pytest.raises(LimitError, match="too long"):
        work(proof)


def test_the_filler_of_a_link_is_no_restriction() -> None:
    """EL's rules write the filler of a link as the node of its restriction, if the property has a range."""
    text = f"""{HEAD} :has rdfs:range :Topping .
        :Ham rdfs:subClassOf [ owl:onProperty :has ; owl:someValuesFrom :Fat ] .
        [ owl:onProperty :has ; owl:someValuesFrom :Topping ] rdfs:subClassOf :Topped ."""
    told = prove("owl2el", ":Ham rdfs:subClassOf :Topped", text).to_text(NAMES)
    assert "(:Fat and (inverse :has some owl:Thing)) rdfs:subClassOf :Topping\n" in told
    assert "(:has some :Fat) rdfs:subClassOf :Topping\n" not in told


PEOPLE = f"""{HEAD} :Person a owl:Class . :bob a :Person .
    :Fan owl:equivalentClass [ owl:onProperty :likes ; owl:someValuesFrom :Person ] .
    :V rdfs:subClassOf [ owl:onProperty :likes ; owl:hasValue :bob ] .
    :N rdfs:subClassOf [ owl:onProperty :likes ; owl:someValuesFrom [ owl:oneOf ( :bob ) ] ] .
    :knows rdfs:subPropertyOf :likes . :likes a owl:ObjectProperty . :knows a owl:ObjectProperty . :ann :knows :bob .
    :S rdfs:subClassOf [ owl:onProperty :knows ; owl:hasSelf true ] .
    :Narcissist owl:equivalentClass [ owl:onProperty :likes ; owl:hasSelf true ] ."""


@pytest.mark.parametrize(
    ("triple", "line"),
    [
        (":V rdfs:subClassOf :Fan", ":V rdfs:subClassOf (:likes value :bob) (asserted)"),
        (":N rdfs:subClassOf :Fan", ":N rdfs:subClassOf (:likes some {:bob}) (asserted)"),
        (":ann a :Fan", ":ann :knows :bob (asserted)"),
    ],
)
def test_an_individual_is_no_class(triple: str, line: str) -> None:
    """EL's rules mean the class of an individual; a proof must not state it of the individual."""
    told = [each.strip() for each in prove("owl2el", triple, PEOPLE).to_text(NAMES).splitlines()]
    assert line in told
    assert ":bob a :Person (asserted)" in told
    assert not [each for each in told if re.search(r"^:(bob|ann) rdfs:subClassOf|rdfs:subClassOf :bob|some :bob", each)]


@pytest.mark.parametrize(
    "triple", [":S rdfs:subClassOf :Narcissist", ":S rdfs:subClassOf :Fan2", ":V rdfs:subClassOf :Fan"]
)
def test_no_step_is_its_own_reason(triple: str) -> None:
    """An expression that a rule takes apart is the one in the file."""
    text = f"{PEOPLE} :Fan2 owl:equivalentClass [ owl:onProperty :likes ; owl:someValuesFrom owl:Thing ] ."
    proof = prove("owl2el", triple, text)
    shown = proof.folded()
    known = shown.names(NAMES)
    said = {step: fact_text(step.fact, known) for step in shown.steps()}
    assert not [said[step] for step in said if said[step] in {said[premise] for premise in step.premises}]


def test_equal_expressions_of_two_nodes_say_the_same_once() -> None:
    """A class is below one node, and the other one is what a definition asks for."""
    text = f"""{HEAD} :Fin rdfs:subClassOf [ owl:onProperty :has ; owl:someValuesFrom :Ray ] .
        :Rayed owl:equivalentClass [ owl:onProperty :has ; owl:someValuesFrom :Ray ] . :has a owl:ObjectProperty ."""
    told = prove("owl2el", ":Fin rdfs:subClassOf :Rayed", text).to_text(NAMES)
    assert told.count(":Fin rdfs:subClassOf (:has some :Ray)") == 1


def test_why_not_names_expressions_and_labels(tmp_path: Path) -> None:
    text = f"""{HEAD} [ owl:onProperty :has ; owl:someValuesFrom :Ray ] rdfs:subClassOf :Rayed .
        :Rayed rdfs:label "rayed"@en ."""
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(text)
        answer = graph.why_not(":x a :Rayed", prefixes=NAMES)
    assert "missing: :x a (:has some :Ray)\n" in answer.to_text(NAMES)
    assert "_:" not in str(answer)
    assert "_:" in answer.to_text(NAMES, full=True)
    assert len(answer.to_json()["described"]) == 2
    asked = ("explain", "-l", tmp_path / "store", ":x a :Rayed", "--prefix", "=http://e/", "--why-not")
    assert ":x a rayed does not hold" in succeed(*asked, "--labels")
    assert succeed(*asked) == answer.to_text(NAMES)


def test_a_member_of_a_class_is_named_as_such() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(f"{HEAD} :A owl:disjointWith :B . :C a owl:Class ; rdfs:subClassOf :A , :B .")
        (found,) = graph.unsatisfiable_classes()
    told = found.proof.to_text(NAMES, labels={"<http://e/C>": "the C"})
    assert "(a member of 'the C') a :A\n" in told
    assert "(a member of :C) a :C (asserted)" in found.proof.to_text(NAMES)


def test_labels_stand_in_the_place_of_iris() -> None:
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(PIZZA)
        proof = graph.explain(":Margherita rdfs:subClassOf :CheesyPizza", prefixes=NAMES)
        found = labels(graph, terms_of(proof), "it")
    assert found == {"<http://e/Pizza>": "Pizza", "<http://e/CheeseTopping>": "cheese topping"}
    assert "(Pizza and (:has some 'cheese topping')) rdfs:subClassOf" in proof.to_text(NAMES, labels=found)


def test_two_terms_with_one_label_keep_their_ids() -> None:
    known = names(NAMES, labels={"<http://e/A>": "hand", "<http://e/B>": "hand", "<http://e/C>": "arm"})
    assert [known.word(f"<http://e/{name}>") for name in "ABC"] == ["hand [:A]", "hand [:B]", "arm"]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("some", "'some'"),
        ("that", "'that'"),
        ("a\u202eb\nc", "'a b c'"),
        ("x" * 300, "'" + "x" * 100 + "...'"),
        ("", "''"),
    ],
)
def test_a_label_of_an_attacker_is_one_short_printable_line(label: str, name: str) -> None:
    assert quote_label(label) == name


def test_a_proof_keeps_its_expressions_on_the_way_to_a_client() -> None:
    proof = prove("owl2el", ":Margherita rdfs:subClassOf :CheesyPizza")
    assert from_json(json.loads(json.dumps(to_json(proof)))).to_text(NAMES) == proof.to_text(NAMES)


def test_a_contradiction_names_expressions(tmp_path: Path) -> None:
    (file := tmp_path / "zoo.ttl").write_text(f"""{HEAD} :C a owl:Class ; rdfs:label "the class"@en .
        [] a owl:AllDisjointClasses ; owl:members ( :A [ owl:onProperty :p ; owl:someValuesFrom :C ] ) .
        :x a :A ; :p :y . :y a :C .""")
    assert (
        ":x is in :A and in (:p some :C), which are disjoint classes (axiom DisjointClasses: :A, (:p some :C))"
        in _check_output(file)
    )
    assert "(:p some 'the class')" in _check_output(file, "--labels", "en")
    assert "rdf:first" in _check_output(file, "--full")


def _check_output(file: Path, *options: str) -> str:
    answer = call("check", file, "--no-classes", *options)
    assert answer.exit_code == 1
    return answer.stdout


def test_the_command_line_has_labels_and_full(tmp_path: Path) -> None:
    (file := tmp_path / "pizza.ttl").write_text(PIZZA)
    succeed("load", "-l", tmp_path / "store", "-f", file, "--rules", "owl2el")
    asked = ("explain", "-l", tmp_path / "store", ":Margherita rdfs:subClassOf :CheesyPizza")
    assert f":Margherita rdfs:subClassOf {CHEESY}\n" in succeed(*asked)
    assert ":Margherita rdfs:subClassOf (Pizza and (:has some 'cheese topping'))\n" in succeed(*asked, "--labels", "it")
    assert "(pizza and (:has some" in succeed(*asked, "--labels")
    assert "el_pair(_:" in succeed(*asked, "--full")
    assert "pizza.ttl is no language" in error_of("explain", "--labels", "pizza.ttl", *asked[1:], status=2)
