"""What two versions of an ontology entail differently, and the axioms that are responsible for it."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, RdfFormat

from kgreason.entailment.versions.comparison import RULES, Comparison, compare
from kgreason.entailment.versions.text import to_markdown
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.terms import vocabulary as v
from tests.cli.calling import error_of, succeed
from tests.graph.histories import DATATYPES
from tests.graph.views import lines
from tests.strategies.axioms import KINDS
from tests.strategies.ontologies import Quad as Oracle
from tests.strategies.ontologies import datasets, nquads

E = "http://e/"
HEAD = f"""@prefix : <{E}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
SUB = NamedNode("http://www.w3.org/2000/01/rdf-schema#subClassOf")


def versions(folder: Path, old: str, new: str) -> tuple[Path, Path]:
    paths = folder / "old.ttl", folder / "new.ttl"
    for path, text in zip(paths, (old, new), strict=True):
        path.write_text(HEAD + text)
    return paths


def short(comparison: Comparison) -> list[tuple[list[str], list[str]]]:
    """The groups of what was gained: axioms and triples without the namespaces."""
    texts = [
        [" ".join(re.findall(r"[\w-]+(?=>)|_:|\"[^\"]*\"", " ".join(each))) for each in part]
        for group in comparison.gained.groups
        for part in (group.axioms, group.triples)
    ]
    return list(zip(texts[::2], texts[1::2], strict=True))


def test_the_axiom_that_is_responsible_is_named(tmp_path: Path) -> None:
    common = ":Cat rdfs:subClassOf :Pet . :tom a :Cat . :likes rdfs:domain :Person ."
    paths = versions(tmp_path, common, f"{common} :Pet rdfs:subClassOf :Animal . :tom :likes :kim . :kim a :Pet .")
    found = compare(*paths, rules=["rdfs"])
    assert short(found) == [
        (["Pet subClassOf Animal"], ["Cat subClassOf Animal", "tom type Animal"]),
        (["Pet subClassOf Animal", "kim type Pet"], ["kim type Animal"]),
        (["tom likes kim"], ["tom type Person"]),
    ]
    assert not found.lost.groups
    back = compare(*reversed(paths), rules=["rdfs"])
    assert (back.lost, back.gained) == (found.gained, found.lost)


def test_a_literal_may_have_a_sign_that_ends_a_line_elsewhere(tmp_path: Path) -> None:
    paths = versions(tmp_path, ":a :p :b .", ':a :p :b ; :says "x\x85\x0c\x1c\u2028y" .')
    (row,) = compare(*paths, rules=["rdfs"]).gained.asserted
    assert row[2] == '"x\x85\\f\\u001C\u2028y"'


def test_a_restriction_is_told_with_what_it_says(tmp_path: Path) -> None:
    common = ":tom a :Owner . :tom :has :rex . :likes a owl:ObjectProperty ."
    some = ":Owner rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; owl:allValuesFrom :{} ] ."
    paths = versions(tmp_path, f"{common} {some.format('Dog')}", f"{some.format('Cat')} {common}")
    text = succeed("compare", *paths)
    assert text.startswith(
        "asserted: 1 axiom added, 1 removed\n"
        "  + :Owner SubClassOf :has only :Cat\n"
        "  - :Owner SubClassOf :has only :Dog\n"
    )
    assert "  because of :Owner SubClassOf :has only :Cat\n    + :rex Type :Cat\n" in text
    assert "  because of :Owner SubClassOf :has only :Dog\n    - :rex Type :Dog\n" in text


def test_contradictions_and_the_other_formats(tmp_path: Path) -> None:
    common = ":tom a :Cat . :tom a :Dog ."
    paths = versions(tmp_path, common, f'{common} :Cat owl:disjointWith :Dog . :tom rdfs:label "a `b` <script>" .')
    told = json.loads(succeed("compare", *paths, "--format", "json", "--rules", "owl2rl"))
    assert told["gained"]["axioms"][0] == "<http://e/Cat> DisjointWith <http://e/Dog>"
    assert len(told["gained"]["contradictions"]) == 1
    assert told["lost"]["contradictions"] == []
    markdown = succeed("compare", *paths, "--format", "markdown", "--rules", "owl2rl")
    assert markdown.startswith(
        "## What `new.ttl` entails, compared with `old.ttl`\n\n### Asserted: 2 axioms added, 0 removed\n\n"
        "Added:\n\n- `:Cat DisjointWith :Dog`\n"
    )
    assert "1 contradiction" in markdown
    same = compare(paths[0], paths[0])
    assert not same
    assert "0 entailed triples" in to_markdown(same, {}, 5, "a", "b")


def test_long_lists_are_cut_and_folded(tmp_path: Path) -> None:
    data = tmp_path / "data.ttl"
    data.write_text(HEAD + " ".join(f":c{number} a :Cat ." for number in range(30)))
    paths = versions(tmp_path, "", ":Cat rdfs:subClassOf :Pet .")
    assert "    and 25 more\n" in succeed("compare", *paths, "--data", data, "--most", 5)
    markdown = succeed("compare", *paths, "--data", data, "--format", "markdown")
    assert "<summary>30 triples</summary>" in markdown
    assert "- and 10 more" in markdown
    assert "20 more entailed triples, not explained" in succeed("compare", *paths, "--data", data, "--limit", 10)
    assert "missing.ttl" in error_of("compare", paths[0], tmp_path / "missing.ttl")


@settings(max_examples=5, phases=[Phase.reuse, Phase.generate])
@given(datasets(KINDS - DATATYPES, max_axioms=5), datasets(KINDS - DATATYPES, max_axioms=5), st.randoms())
def test_it_is_the_difference_of_the_closures(
    tmp_path_factory: pytest.TempPathFactory, one: list[Oracle], other: list[Oracle], chance: random.Random
) -> None:
    """Every triple that only one version entails is told once, under owl2rl with axioms that only this version has.

    Under owl2el data alone may be the reason: an individual that contradicts itself makes each class empty.
    """
    folder, rules = tmp_path_factory.mktemp("versions"), chance.choice([["owl2rl"], list(RULES)])
    shared = [quad for quad in one if chance.random() < 0.7]
    texts = [nquads([*one]), nquads([*shared, *other])]
    paths = folder / "old.nq", folder / "new.nq"
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    found = compare(*paths, rules=rules)
    closures = []
    for path in paths:
        with KnowledgeGraph.open(rules=rules) as graph:
            graph.load(path)
            closures.append([lines(graph.dump()), lines(graph.dump(asserted=True))])
    for side, here, there in ((found.gained, 1, 0), (found.lost, 0, 1)):
        only = {
            line
            for line in closures[here][0] - closures[there][0]
            if "_:" not in line and not is_tautology(*line.split(" ")[:3])
        }
        told = {f"{' '.join(each)} ." for group in side.groups for each in group.triples}
        assert told == only - closures[here][1]
        assert {f"{' '.join(each)} ." for each in side.asserted} >= only & closures[here][1]
        for group in side.groups if rules == ["owl2rl"] else ():
            assert group.axioms or all(each[2].startswith('"') for each in group.triples)  # equal literals
    assert not compare(paths[0], paths[0], rules=rules)


def is_tautology(subject: str, predicate: str, object_: str) -> bool:
    reflexive = (v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS, v.RDFS_SUB_PROPERTY_OF, v.OWL_EQUIVALENT_PROPERTY)
    is_below_thing = predicate == v.RDFS_SUB_CLASS_OF and object_ == v.OWL_THING
    return is_below_thing or (subject == object_ and predicate in reflexive)


PIZZA = """
:Pizza a owl:Class ; rdfs:label "pizza"@en , "Pizza"@it . :CheeseTopping a owl:Class ; rdfs:label "cheese topping"@en .
:PizzaTopping a owl:Class . :hasTopping a owl:ObjectProperty .
:Margherita rdfs:subClassOf :Pizza , [ a owl:Restriction ; owl:onProperty :hasTopping ;
    owl:someValuesFrom :Mozzarella ] .
:CheesyPizza owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :Pizza
    [ a owl:Restriction ; owl:onProperty :hasTopping ; owl:someValuesFrom :CheeseTopping ] ) ] .
:LactoseFree owl:disjointWith :CheesyPizza . :Odd rdfs:subClassOf :Margherita , :LactoseFree .
:Mozzarella rdfs:subClassOf :"""


def test_a_pull_request_says_what_changes_for_a_defined_class(tmp_path: Path) -> None:
    """Mozzarella moves: Margherita is no CheesyPizza any more, and the axiom that did it is named."""
    paths = versions(tmp_path, f"{PIZZA}CheeseTopping .", f"{PIZZA}PizzaTopping .")
    text = succeed("compare", *paths)
    assert text.startswith(
        "asserted: 1 axiom added, 1 removed\n"
        "  + :Mozzarella SubClassOf :PizzaTopping\n"
        "  - :Mozzarella SubClassOf :CheeseTopping\n"
        "gained: 0 entailed triples\n"
    )
    axiom = "because of :Mozzarella SubClassOf :CheeseTopping\n"
    assert f"  {axiom}    - :Margherita SubClassOf :CheesyPizza\n" in text
    assert text.endswith(f"something can be in :Odd again, which was empty {axiom}")
    assert ":Odd" not in succeed("compare", *paths, "--no-classes").splitlines()[-1]
    back = succeed("compare", *reversed(paths), "--labels", "it", "--format", "markdown")
    assert "- `:Mozzarella SubClassOf 'cheese topping'`\n" in back
    assert "### Classes that nothing can be in\n\n- nothing can be in `:Odd` any more, because of `:Mozzarella" in back


def test_labels_of_blank_nodes_and_order_do_not_matter(shared_data: Path, tmp_path: Path) -> None:
    quads = list(pyoxigraph.parse(pizza(shared_data), RdfFormat.RDF_XML, base_iri="http://e/"))
    random.Random(7).shuffle(quads)
    text = (pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b"").decode()
    again = tmp_path / "again.nq"
    again.write_text(re.sub(r"_:(\w+)", r"_:other\1", text))
    old = tmp_path / "pizza.owl"
    old.write_bytes(pizza(shared_data))
    assert not compare(old, again, rules=["none"])


def pizza(shared_data: Path) -> bytes:
    return gzip.decompress((shared_data / "ontologies" / "pizza.owl.gz").read_bytes())


def test_a_version_of_pizza(shared_data: Path, tmp_path: Path) -> None:
    """A class moves in a real ontology: its subclasses lose the old superclasses and gain the new ones."""
    name = "http://www.co-ode.org/ontologies/pizza/pizza.owl#{}".format
    quads = list(pyoxigraph.parse(pizza(shared_data), RdfFormat.RDF_XML, base_iri="http://e/"))
    moved, old_place, new_place = (NamedNode(name(each)) for each in ("MeatTopping", "PizzaTopping", "Main"))
    edited = [quad for quad in quads if (quad.subject, quad.object) != (moved, old_place)]
    assert len(edited) == len(quads) - 1
    edited.append(Quad(moved, SUB, new_place))
    paths = tmp_path / "old.nq", tmp_path / "new.nq"
    for path, version in zip(paths, (quads, edited), strict=True):
        path.write_bytes(pyoxigraph.serialize(version, format=RdfFormat.N_QUADS) or b"")
    found = compare(*paths, rules=["owl2rl"])
    assert not found.gained.unsatisfiable
    assert not found.lost.unsatisfiable
    assert [group.axioms for group in found.gained.groups] == [((str(moved), str(SUB), str(new_place)),)]
    assert [group.axioms for group in found.lost.groups] == [((str(moved), str(SUB), str(old_place)),)]
    ham = str(NamedNode(name("HamTopping")))
    assert (ham, str(SUB), str(new_place)) in found.gained.groups[0].triples
    assert (ham, str(SUB), str(old_place)) in found.lost.groups[0].triples
    assert found.gained.blank == found.lost.blank == 0


def test_a_version_of_brick_and_a_building(shared_data: Path, tmp_path: Path) -> None:
    """What an edit of the Brick ontology changes for the devices of a building."""
    folder = shared_data / "ontologies"
    brick = gzip.decompress((folder / "Brick-1.1.n3.gz").read_bytes())
    quads = list(pyoxigraph.parse(brick, RdfFormat.TURTLE, base_iri="http://e/"))
    name = "https://brickschema.org/schema/1.1/Brick#{}".format
    axiom = next(quad for quad in quads if quad.subject == NamedNode(name("Room")) and quad.predicate == SUB)
    paths = tmp_path / "old.nq", tmp_path / "new.nq"
    for path, version in zip(paths, (quads, [quad for quad in quads if quad != axiom]), strict=True):
        path.write_bytes(pyoxigraph.serialize(version, format=RdfFormat.N_QUADS) or b"")
    data = tmp_path / "building.ttl"
    data.write_bytes(gzip.decompress((folder / "brick_building_VM3A_v1.1.ttl.gz").read_bytes()))
    found = compare(*paths, data=[data], rules=["owl2rl"], classes=False)
    assert not found.gained.groups
    assert [group.axioms for group in found.lost.groups] == [(tuple(map(str, axiom.triple)),)]
    assert found.lost.entailed > 100
    assert found.lost.untold == 0
