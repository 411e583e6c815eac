"""The OBO format, read as ROBOT translates it."""

from __future__ import annotations

import builtins
import contextlib
from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import InputError, RdfSyntaxError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.obo.clauses import axioms, check
from tests.rdf.reading import lines_read

pytest.importorskip("pyhornedowl")

OBO = """format-version: 1.4
ontology: zoo

[Term]
id: ZOO:1
name: finger
def: "A digit." [ISBN:1]
synonym: "digit" EXACT []
is_a: ZOO:2 ! part
relationship: part_of ZOO:3 ! hand

[Term]
id: ZOO:2
name: part

[Term]
id: ZOO:3
name: hand
intersection_of: ZOO:2
intersection_of: part_of ZOO:4

[Term]
id: ZOO:4
name: arm

[Typedef]
id: part_of
xref: BFO:0000050
is_transitive: true

[Typedef]
id: overlaps
holds_over_chain: overlaps part_of ! a comment
transitive_over: part_of {source="x"}
equivalent_to: meets
disjoint_from: avoids

[Typedef]
id: meets

[Typedef]
id: avoids
"""
IN_TURTLE = """@prefix obo: <http://purl.obolibrary.org/obo/> . @prefix zoo: <http://purl.obolibrary.org/obo/zoo#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
obo:ZOO_1 rdfs:subClassOf obo:ZOO_2 , [ owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom obo:ZOO_3 ] .
obo:ZOO_3 owl:equivalentClass
    [ owl:intersectionOf ( obo:ZOO_2 [ owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom obo:ZOO_4 ] ) ] .
obo:BFO_0000050 a owl:TransitiveProperty .
zoo:overlaps owl:propertyChainAxiom ( zoo:overlaps obo:BFO_0000050 ) ; owl:equivalentProperty zoo:meets ;
    owl:propertyDisjointWith zoo:avoids .
"""
ZOO = "http://purl.obolibrary.org/obo/"


def test_axioms_and_annotations_are_those_of_robot(tmp_path: Path) -> None:
    (file := tmp_path / "zoo.obo").write_text(OBO)
    with KnowledgeGraph.open(rules=["none"]) as read, KnowledgeGraph.open(rules=["none"]) as wanted:
        read.load(file)
        wanted.add(IN_TURTLE)
        subjects = {str(quad.subject) for quad in wanted.match() if not str(quad.subject).startswith("_:")}
        said = ["subClassOf", "equivalentClass", "propertyChainAxiom", "equivalentProperty", "propertyDisjointWith"]

        def axioms_of(graph: KnowledgeGraph) -> set[str]:
            from kgreason.ontology.manchester import Manchester, about_of

            rows = [(str(each.subject), str(each.predicate), str(each.object)) for each in graph.match()]
            kept = [row for row in rows if row[0] in subjects and row[1].rpartition("#")[2][:-1] in said]
            return set(Manchester(about_of(rows), str).axioms(kept))

        assert axioms_of(read) == axioms_of(wanted)
        assert read.ask(f'ASK {{ <{ZOO}ZOO_1> <http://www.w3.org/2000/01/rdf-schema#label> "finger" }}')
        assert read.ask(f'ASK {{ <{ZOO}ZOO_1> <{ZOO}IAO_0000115> "A digit." }}')
        assert read.ask(f"ASK {{ <{ZOO}BFO_0000050> a <http://www.w3.org/2002/07/owl#TransitiveProperty> }}")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("ontology: x\nowl-axioms: Ontology()\n", 2, "the clause owl-axioms of the header cannot be read"),
        ('[Term]\nid: A:1\nrelationship: p A:2 {maxCardinality="2"}\n', 3, "relationship with a cardinality"),
        ('[Term]\nid: A:1\nrelationship: p A:2 {all_only="true"}\n', 3, "relationship with a cardinality or a quant"),
        (
            '[Term]\nid: A:1\nrelationship: p A:2 {source="a!b", cardinality="0"}\n',
            3,
            "relationship with a cardinality",
        ),
        ('[Term]\nid: A:1\nrelationship: p A:2 {source="\\"}!", cardinality="0"}\n', 3, "with a cardinality"),
        ("[Typedef]\nid: p\nunion_of: q\nunion_of: r\n", 3, r"the clause union_of of a \[Typedef\]"),
        ("[Typedef]\nid: p\ntransitive_over: q\n", 3, r"no \[Typedef\] has id q"),
        ("[Term]\nid: A:1\nis_a A:2\n", 3, "expected"),
    ],
)
def test_nothing_is_lost_silently(text: str, line: int, problem: str) -> None:
    head = "format-version: 1.4\n"
    with pytest.raises(RdfSyntaxError, match=problem) as caught:
        lines_read((head + "\n" * (not text.startswith("ontology")) + text).encode(), "obo", "a.obo")
    assert caught.value.line == line + (1 if text.startswith("ontology") else 2)


@pytest.mark.parametrize(
    "end", ['{source="{cardinality=1}"}', '! "{cardinality=1}', '{source="a"} ! {cardinality="1"}']
)
def test_a_cardinality_in_a_comment_or_a_text_is_none(end: str) -> None:
    check(f"[Term]\nid: A:1\nrelationship: p A:2 {end}\n", "a.obo")


@pytest.mark.parametrize("clause", ["name: a{}a", 'name: "\\"{}', "transitive_over: q{}a", "relationship: p A:1{}{{}}"])
def test_a_long_line_takes_linear_time(clause: str) -> None:
    """Quadratic time would be minutes."""
    text = "[Typedef]\nid: p\n" + clause.format(' \\"' * 30_000 if clause.startswith('name: "') else " " * 300_000)
    check(text, "a.obo")
    with contextlib.suppress(RdfSyntaxError):
        list(axioms(text, {"p": "http://e/p"}, "a.obo"))


def test_without_the_extra_the_format_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "pyhornedowl":
            raise ImportError(name)
        return imported(name, *rest)

    (file := tmp_path / "zoo.obo").write_text(OBO)
    monkeypatch.setattr(builtins, "__import__", without)
    with (
        KnowledgeGraph.open(rules=["none"]) as graph,
        pytest.raises(InputError, match=r"zoo\.obo: the OBO format needs .* pip install 'kgreason\[owl\]'"),
    ):
        graph.load(file)
