"""The replacement for pyshacl.validate: its options and values, beside pySHACL where it is installed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.bridges.pyshacl import validate
from kgreason.bridges.rdflib import KGReasonStore
from kgreason.errors import InputError, RdfSyntaxError, ShapesError
from tests.oracle.shacl import report
from tests.oracle.shacl.drawn import Knobs, pair
from tests.oracle.shacl.result import Result
from tests.oracle.shacl.turtle import graph as parsed
from tests.oracle.shacl.validator import Validator
from tests.tables import table
from tests.volume import many_seeds

rdflib = pytest.importorskip("rdflib")

PREFIXES = """@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."""
DATA = f"{PREFIXES} :tom a :Cat . :rex a :Dog ; :name 'Rex' ; :name 'R' ."
ONTOLOGY = f"{PREFIXES} :Cat rdfs:subClassOf :Animal . :Dog rdfs:subClassOf :Animal ."
SHAPES = f"""{PREFIXES}
    :Named sh:targetClass :Animal ; sh:property [ sh:path :name ; sh:minCount 1 ] .
    :Once sh:targetClass :Animal ; sh:property :OncePath .
    :OncePath sh:path :name ; sh:maxCount 1 ; sh:severity sh:Info .
"""
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"inference": "rdfs"},
    {"inference": "none", "ont_graph": parsed(ONTOLOGY)},
    {"ont_graph": parsed(ONTOLOGY), "inference": "owlrl"},
    {"ont_graph": parsed(ONTOLOGY), "inference": "both", "allow_infos": True},
    {"ont_graph": parsed(ONTOLOGY), "focus_nodes": ["http://e/rex"]},
    {"ont_graph": parsed(ONTOLOGY), "focus_nodes": ["http://e/rex"], "allow_infos": True},
    {"ont_graph": parsed(ONTOLOGY), "focus_nodes": ["http://e/rex"], "allow_warnings": True},
    {"ont_graph": parsed(ONTOLOGY), "use_shapes": [":Named"]},
    {"use_shapes": ["http://e/Named"], "focus_nodes": ["http://e/tom", "http://e/rex"]},
    {"ont_graph": parsed(ONTOLOGY), "advanced": True},
)


@table("options", OPTIONS)
def test_the_report_is_that_of_pyshacl(options: dict[str, Any]) -> None:
    pyshacl = pytest.importorskip("pyshacl", reason="pyshacl is not installed; it is no requirement of the tests")
    theirs = pyshacl.validate(parsed(DATA), shacl_graph=parsed_with_prefixes(SHAPES), **options)
    ours = validate(parsed(DATA), shacl_graph=parsed_with_prefixes(SHAPES), **options)
    assert ours[0] == theirs[0]
    assert results(ours[1]) == results(theirs[1])
    head = ours[2].splitlines()[:3]
    assert head == theirs[2].splitlines()[:3]


@table("seed", many_seeds(0, 3))
def test_a_random_pair_has_the_results_of_the_naive_validator(seed: int) -> None:
    drawn = pair(seed, Knobs(sparql=0))
    data, shapes = parsed(drawn.data_text), parsed(drawn.shapes_text)
    conforms, graph, _ = validate(data, shacl_graph=shapes)
    naive = Counter(each._replace(messages=frozenset()) for each in Validator(data, shapes).report())
    assert results(graph) == naive
    assert conforms == (not naive)


def test_inferred_triples_are_added_to_the_graph_only_in_place() -> None:
    data = parsed(DATA)
    size = len(data)
    validate(data, shacl_graph=SHAPES, ont_graph=ONTOLOGY, inference="rdfs")
    assert len(data) == size
    conforms, _, _ = validate(data, shacl_graph=SHAPES, ont_graph=ONTOLOGY, inference="rdfs", inplace=True)
    animal = rdflib.URIRef("http://e/Animal")
    assert not conforms
    assert (rdflib.URIRef("http://e/tom"), rdflib.RDF.type, animal) in data


def test_a_live_graph_is_validated_with_its_inferred_triples() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as live:
        live.add(DATA + ONTOLOGY.removeprefix(PREFIXES))
        conforms, graph, _ = validate(rdflib.Graph(KGReasonStore(live)), shacl_graph=SHAPES)
    assert not conforms
    assert len(results(graph)) == 2


def test_files_texts_datasets_and_several_graphs_are_data(tmp_path: Path) -> None:
    file = tmp_path / "data.ttl"
    file.write_text(DATA)
    dataset = rdflib.Dataset()
    for triple in parsed(DATA):
        dataset.graph(rdflib.URIRef("http://e/g")).add(triple)
    with file.open("rb") as opened:
        for data in (file, str(file), DATA, DATA.encode(), dataset, opened):
            assert not validate(data, shacl_graph=SHAPES, ont_graph=ONTOLOGY)[0]
    assert not validate([parsed(DATA), ONTOLOGY], shacl_graph=SHAPES)[0]
    assert validate(DATA, shacl_graph=SHAPES)[0]
    assert not validate(DATA + ONTOLOGY + SHAPES)[0]


def test_a_report_can_be_serialized_and_ends_at_the_first_result_if_asked() -> None:
    options: dict[str, Any] = {"shacl_graph": SHAPES, "ont_graph": ONTOLOGY, "serialize_report_graph": "nt"}
    written = validate(DATA, **options)[1]
    assert isinstance(written, bytes)
    assert written.count(b"ValidationResult>") == 2
    first = validate(DATA, **options, abort_on_first=True)[1]
    assert isinstance(first, bytes)
    assert first.count(b"ValidationResult>") == 1


def test_a_result_has_a_message_in_words_and_literals_keep_their_form() -> None:
    data = f"{PREFIXES} :a :p '01'^^<http://www.w3.org/2001/XMLSchema#integer> ."
    shapes = f"{PREFIXES} :s sh:targetNode :a ; sh:path ( :p [ sh:zeroOrOnePath :q ] ) ; sh:minInclusive 2 ."
    _, graph, text = validate(data, shacl_graph=shapes)
    assert isinstance(graph, rdflib.Graph)
    (result,) = report.read(graph)
    assert str(result.value) == "01"
    assert [str(each) for each in result.messages] == [text.split("Message: ")[1].strip()]
    assert "Result Path: :p/(:q?)" in text


@table(
    "options, message",
    [
        ({"meta_shacl": True}, "meta_shacl is not supported"),
        ({"js": True}, "js is not supported"),
        ({"sparql_mode": True}, "sparql_mode is not supported"),
        ({"max_validation_depth": 3}, "max_validation_depth is not supported"),
        ({"do_owl_imports": True}, "do_owl_imports is not supported"),
        ({"multi_data_graphs_mode": "validate_each"}, "several data graphs are read as one"),
        ({"inference": "owl"}, "one of rdfs, owlrl, both, none"),
        ({"colour": 1}, "colour: pyshacl.validate has no such option"),
        ({"data_graph_format": "hdt"}, "unknown format"),
        ({"ont_graph": "https://e/"}, "nothing is fetched"),
        ({"ont_graph": 1}, "pass a graph of rdflib"),
    ],
)
def test_an_unsupported_option_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        validate(DATA, shacl_graph=SHAPES, **options)


def test_wrong_text_and_shapes_that_cannot_be_used_are_errors() -> None:
    with pytest.raises(RdfSyntaxError):
        validate(":tom", shacl_graph=SHAPES)
    rule = f"{PREFIXES} :s sh:targetNode :tom ; sh:rule [ sh:subject sh:this ] ; sh:nodeKind sh:Literal ."
    assert not validate(DATA, shacl_graph=rule)[0]
    with pytest.raises(ShapesError, match="a rule needs"):
        validate(DATA, shacl_graph=rule, advanced=True)


_RULES = f"""{PREFIXES}
    :s sh:targetSubjectsOf :near ; sh:rule
        [ a sh:TripleRule ; sh:subject sh:this ; sh:predicate :far ; sh:object [ sh:path ( :near :far ) ] ;
          sh:order 2 ] ,
        [ a sh:TripleRule ; sh:subject sh:this ; sh:predicate :far ; sh:object [ sh:path :near ] ; sh:order 1 ;
          sh:condition [ a sh:NodeShape ; sh:nodeKind sh:IRI ] ] .
    :t a sh:NodeShape ; sh:targetNode :a ; sh:property [ sh:path :far ; sh:maxCount 1 ] .
"""
_CHAIN = f"{PREFIXES} :a :near :b . :b :near :c . :c :near :d . :d :near :e ."


@pytest.mark.parametrize("iterated", [False, True])
def test_rules_make_what_those_of_pyshacl_make(iterated: bool) -> None:
    pyshacl = pytest.importorskip("pyshacl", reason="pyshacl is not installed; it is no requirement of the tests")
    options: dict[str, Any] = {"advanced": True, "iterate_rules": iterated, "inplace": True}
    mine, theirs = parsed(_CHAIN), parsed(_CHAIN)
    reports = [
        validate(mine, shacl_graph=parsed(_RULES), **options),
        pyshacl.validate(theirs, shacl_graph=parsed(_RULES), **options),
    ]
    assert set(mine) == set(theirs)
    assert len(mine) == 4 + (10 if iterated else 7)
    assert [conforms for conforms, _, _ in reports] == [False, False]
    assert validate(parsed(_CHAIN), shacl_graph=parsed(_RULES), advanced=False)[0]


def parsed_with_prefixes(text: str) -> Any:
    graph = parsed(text)
    graph.bind("", "http://e/")
    return graph


def results(graph: Any) -> Counter[Result]:
    """Return the results of a report without their messages; a shape that is a blank node is any one."""
    counts = Counter[Result]()
    for result, count in report.read(graph).items():
        shape = rdflib.BNode("any") if isinstance(result.shape, rdflib.BNode) else result.shape
        counts[result._replace(messages=frozenset(), shape=shape)] += count
    return counts
