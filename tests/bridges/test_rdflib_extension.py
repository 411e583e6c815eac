"""What owlrl has beside OWL 2 RL: its extension, `convert_graph`; and all that it adds, with `complete`."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import owlrl
import pytest
from rdflib import OWL, RDF, RDFS, Graph, Literal

from kgreason.bridges import rdflib as ours
from kgreason.errors import InputError, RuleError
from tests.bridges.test_rdflib_closure import SEMANTICS, SMALL, E, Triple, is_noise, parsed

EXTENDED = {
    "self": """:Leader owl:equivalentClass [ a owl:Restriction ; owl:onProperty :role ; owl:hasSelf true ] .
        :a a :Leader . :b :role :b . :c :role :d .""",
    "bounds": """:Adult owl:equivalentClass [ a owl:Restriction ; owl:onProperty :age ; owl:someValuesFrom :adult ] .
        :adult a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 18 ]
        [ xsd:maxExclusive 130 ] ) . :tom :age 20 . :kim :age 7 . :methuselah :age 969 . :x :age "20" .""",
    "texts": """:Code owl:equivalentClass [ a owl:Restriction ; owl:onProperty :code ; owl:someValuesFrom :short ] .
        :short a rdfs:Datatype ; owl:onDatatype xsd:string ; owl:withRestrictions ( [ xsd:maxLength 3 ] ) .
        :a :code "abc" . :b :code "abcd" .""",
}
_COMES_FROM_ITSELF = (RDFS.Datatype, OWL.DataRange, RDFS.Literal)


@pytest.fixture(autouse=True)
def _owlrl_forgets() -> Iterator[None]:
    """owlrl keeps the datatypes of a graph for all later graphs."""
    lists = owlrl.OWLRLExtras.OWL_RL_Datatypes, owlrl.OWLRLExtras.OWL_Datatype_Subsumptions
    before = [copy.copy(each) for each in lists]
    yield
    for each, known in zip(lists, before, strict=True):
        each.clear()
        (each.extend if isinstance(each, list) else each.update)(known)


def both(text: str, semantics: str, **options: bool) -> tuple[set[Triple], set[Triple]]:
    """What owlrl and kgreason make of a text; `complete` is ours alone."""
    theirs, mine = parsed(text), parsed(text)
    names = {name: is_on for name, is_on in options.items() if name != "complete"}
    owlrl.DeductiveClosure(getattr(owlrl, semantics), **names).expand(theirs)
    ours.DeductiveClosure(getattr(ours, semantics), **options).expand(mine)
    bare = parsed(text)  # blank nodes of the two are not the same ones
    assert len(set(mine)) >= len(bare)
    return {each for each in theirs if not _has_blank(each)}, {each for each in mine if not _has_blank(each)}


def _has_blank(triple: Triple) -> bool:
    return any(term.n3().startswith("_:") for term in triple)


@pytest.mark.parametrize("semantics", ["OWLRL_Extension", "OWLRL_Extension_Trimming"])
@pytest.mark.parametrize(
    "name", ["self", "bounds", "classes", "equality"]
)  # owlrl finds no length of a text short enough
def test_the_extension_says_what_owlrl_says(name: str, semantics: str) -> None:
    theirs, mine = both((EXTENDED | SMALL)[name], semantics)
    assert {each for each in theirs ^ mine if not (is_noise(each) or each[2] in _COMES_FROM_ITSELF)} == set()


def test_the_extension_reads_has_self_and_facets() -> None:
    expected = {
        "self": {(E.a, E.role, E.a), (E.b, RDF.type, E.Leader)},
        "bounds": {(E.tom, RDF.type, E.Adult), (E.adult, RDF.type, OWL.DataRange)},
    }
    for name, triples in {**expected, "texts": {(E.a, RDF.type, E.Code), (E.short, RDF.type, OWL.DataRange)}}.items():
        graph = parsed(EXTENDED[name])
        ours.DeductiveClosure(ours.OWLRL_Semantics).expand(graph)
        before = set(graph)
        ours.DeductiveClosure(ours.OWLRL_Extension).expand(graph)
        told = {each for each in graph if each not in before and not _has_blank(each) and each[1] != RDFS.subClassOf}
        assert told == triples
        assert not [each for each in graph if isinstance(each[0], Literal)]


def test_rdfs_belongs_to_the_extension_if_it_is_asked_for() -> None:
    text = ":k a rdfs:ContainerMembershipProperty . :a :k :b ."
    for rdfs_closure in (False, True):
        graph = parsed(text)
        ours.DeductiveClosure(ours.OWLRL_Extension, rdfs_closure=rdfs_closure).expand(graph)
        assert ((E.a, RDFS.member, E.b) in graph) == rdfs_closure


@pytest.mark.parametrize(
    "restrictions",
    [
        "( [ xsd:minInclusive :nothing ] )",
        "( [ :facet 1 ] )",
        "( [ xsd:minInclusive 1 ; :facet 1 ] )",
        "()",
        "_:l . _:l rdf:first [ xsd:minInclusive 1 ] ; rdf:rest _:l",
    ],
)
def test_a_datatype_that_is_not_understood_has_no_literals(restrictions: str) -> None:
    text = f""":D a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions {restrictions} .
        :C owl:equivalentClass [ owl:onProperty :p ; owl:someValuesFrom :D ] . :a :p 5 ."""
    graph = parsed(text)
    ours.DeductiveClosure(ours.OWLRL_Extension).expand(graph)
    assert (E.a, RDF.type, E.C) not in graph


@pytest.mark.parametrize("semantics", [*SEMANTICS, "OWLRL_Extension"])
def test_a_complete_closure_lacks_triples_of_the_vocabulary_alone(semantics: str) -> None:
    of_datatypes = (RDFS.Datatype, OWL.DataRange)
    for name, text in SMALL.items():
        theirs, mine = both(text, semantics, complete=True)
        missing = {each for each in theirs - mine if not isinstance(each[0], Literal)}
        told = {each for each in missing if str(each[0]).startswith(str(E)) and each[2] not in of_datatypes}
        assert {each for each in told if each[0] != each[2]} == set(), name
    assert ((E.a, OWL.sameAs, E.a) in mine) == (semantics != "RDFS_Semantics")


def test_complete_adds_to_what_is_there_without_it() -> None:
    for semantics in [*SEMANTICS, "OWLRL_Extension_Trimming"]:
        closures = []
        for complete in (False, True):
            graph = parsed(SMALL["equality"])
            ours.DeductiveClosure(getattr(ours, semantics), complete=complete).expand(graph)
            closures.append({each for each in graph if not _has_blank(each)})
        assert closures[0] < closures[1]


def options(**changed: Any) -> SimpleNamespace:
    names = ("owlClosure", "rdfsClosure", "owlExtras", "axioms", "daxioms", "trimming")
    given: dict[str, Any] = {
        **dict.fromkeys(names, "no"),
        "sources": [],
        "text": None,
        "format": "turtle",
        "iformat": "auto",
    }
    return SimpleNamespace(**(given | changed))


def test_converting_is_as_with_owlrl(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(
        "@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :p a owl:TransitiveProperty ."
    )
    text = "@prefix : <http://e/> . :a :p :b . :b :p :c ."
    formats = {"turtle": "turtle", "rdfxml": "xml", "json": "json-ld"}
    for owl, form in itertools.product((True, "yes", "no"), formats):
        asked = options(sources=[str(tmp_path / "a.ttl")] * 2, text=text, owlClosure=owl, format=form)
        mine = Graph().parse(data=ours.convert_graph(asked), format=formats[form])
        theirs = Graph().parse(data=owlrl.convert_graph(asked), format=formats[form])
        assert set(mine) <= set(theirs)
        assert {each for each in set(theirs) - set(mine) if not is_noise(each)} == set()
        assert ((E.a, E.p, E.c) in mine) == (owl != "no")


def test_the_class_is_chosen_as_by_owlrl() -> None:
    for flags in itertools.product((False, True), repeat=4):
        mine, theirs = ours.return_closure_class(*flags), owlrl.return_closure_class(*flags)
        assert (mine and mine.__name__) == (theirs and theirs.__name__)
    asked = options(text="<http://e/a> a <http://e/B> .", owlClosure=True)
    assert "B" in ours.convert_graph(asked, closureClass=ours.RDFS_Semantics)


def test_imports_are_read_from_local_files_alone(tmp_path: Path) -> None:
    owl = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> . "
    symmetric = f"{owl} :p a owl:SymmetricProperty . <http://e/in> a owl:Ontology"
    inner, outer = tmp_path / "inner.ttl", tmp_path / "outer.ttl"
    inner.write_text(
        f"{owl} :p a owl:SymmetricProperty . <http://e/in> a owl:Ontology ; owl:imports <{outer.as_uri()}> ."
    )
    outer.write_text(f"{owl} :a :p :b . <http://e/out> a owl:Ontology ; owl:imports <{inner.as_uri()}> .")
    asked = options(sources=[str(outer)], owlClosure=True)
    graph = Graph().parse(data=ours.convert_graph(asked))
    assert (E.b, E.p, E.a) in graph
    assert list(graph.triples((None, OWL.imports, None))) == []
    outer.write_text(f"{owl} :a :p :b . <http://e/out> a owl:Ontology ; owl:imports <http://e/in> .")
    with pytest.raises(InputError, match="owl:imports <http://e/in>: not a local file"):
        ours.convert_graph(asked)
    inner.write_text(f"{symmetric} .")
    both_files = options(sources=[str(outer), str(inner)], owlClosure=True)
    assert (E.b, E.p, E.a) in Graph().parse(data=ours.convert_graph(both_files))


def test_a_text_without_a_graph_is_not_converted() -> None:
    with pytest.raises(InputError, match="no graph"):
        ours.convert_graph(options(text=" "))
    with pytest.raises(InputError, match="iformat 'pdf'"):
        ours.convert_graph(options(sources=["a.pdf"], iformat="pdf"))
    with pytest.raises(RuleError, match="datatype_axioms"):
        ours.convert_graph(options(text="<a:a> a <a:b> .", owlClosure=True, daxioms=True))
