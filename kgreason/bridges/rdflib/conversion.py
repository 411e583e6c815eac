"""`convert_graph`: reads files, adds what follows, and writes RDF, as owlrl's function of this name.

owlrl's scripts call it. `return_closure_class` chooses the semantics, `interpret_owl_imports` reads what owl:imports
names. Unlike owlrl's, these functions fetch nothing from the network on their own: owl:imports must name a local file,
or an ontology that is among the sources. The sources themselves are read by rdflib, and may be addresses.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rdflib.graph import Graph
from rdflib.namespace import OWL, RDF
from rdflib.term import Literal

from kgreason.bridges.rdflib.closure import (
    DeductiveClosure,
    OWLRL_Extension,
    OWLRL_Extension_Trimming,
    OWLRL_Semantics,
    RDFS_OWLRL_Semantics,
    RDFS_Semantics,
    Semantics,
)
from kgreason.errors import InputError

_FORMATS = {"turtle": "turtle", "rdfxml": "xml", "xml": "xml", "json": "json-ld", "rdfa": "rdfa"}
_SUFFIXES = {"ttl": "turtle", "n3": "turtle", "json": "json-ld", "jsonld": "json-ld"}
_WRITTEN = {"rdfxml": "pretty-xml", "json": "json-ld"}
_YES = (True, "yes", "Yes", "True", "true")


def convert_graph(options: Any, closureClass: type[Semantics] | None = None) -> str:  # noqa: N803  # owlrl's name
    """Read files, add what follows from them, and return all of it as RDF text.

    `options` has attributes: `sources` (paths), `text` (Turtle), `iformat` ("auto", "turtle", "rdfxml", "json"),
    `format` ("turtle", "rdfxml", "json"); and `owlClosure`, `rdfsClosure`, `owlExtras`, `trimming`, `axioms`, `daxioms`
    (True or "yes"). `closureClass` is the semantics in place of those that the options choose. Raises InputError,
    RuleError, and the errors of rdflib's parsers.
    """

    def is_on(name: str) -> bool:
        return getattr(options, name, False) in _YES

    sources = [*options.sources, *([options.source] if getattr(options, "source", None) is not None else [])]
    text = getattr(options, "text", None)
    if not sources and not (text or "").strip():
        raise InputError("convert_graph: no graph: name files in `sources`, or pass Turtle as `text`")
    syntax = getattr(options, "iformat", "auto")
    graph = Graph()
    _parse(graph, sources, syntax)
    if text is not None:
        graph.parse(data=text, format="turtle")
    if is_on("owlClosure"):
        interpret_owl_imports(syntax, graph)
    chosen = return_closure_class(*map(is_on, ("owlClosure", "rdfsClosure", "owlExtras", "trimming")))
    DeductiveClosure(
        closureClass or chosen,
        rdfs_closure=is_on("rdfsClosure"),
        axiomatic_triples=is_on("axioms"),
        datatype_axioms=is_on("daxioms"),
    ).expand(graph)
    return graph.serialize(format=_WRITTEN.get(getattr(options, "format", "turtle"), "turtle"))


def return_closure_class(
    owl_closure: bool, rdfs_closure: bool, owl_extras: bool, trimming: bool = False
) -> type[Semantics] | None:
    """Return the semantics that owlrl chooses for these options; None if there is nothing to infer."""
    if not owl_closure:
        return RDFS_Semantics if rdfs_closure else None
    if owl_extras:
        return OWLRL_Extension_Trimming if trimming else OWLRL_Extension
    return RDFS_OWLRL_Semantics if rdfs_closure else OWLRL_Semantics


def interpret_owl_imports(iformat: str, graph: Graph) -> None:
    """Read the documents that owl:imports names, and theirs, and remove these triples from the graph.

    An IRI that is an ontology of the graph is read already. Raises InputError for any other document that is no local
    file: kgreason fetches nothing that a document names.
    """
    read = set[str]()
    while imports := list(graph.triples((None, OWL.imports, None))):
        for triple in imports:
            graph.remove(triple)
        for document in dict.fromkeys(document for _, _, document in imports):
            place = str(document).removeprefix("file://")
            if place in read or (document, RDF.type, OWL.Ontology) in graph:
                continue
            if not (isinstance(document, Literal) or str(document).startswith("file:")) or not Path(place).is_file():
                raise InputError(
                    f"owl:imports <{document}>: not a local file; kgreason fetches nothing that a document names: add"
                    " the document to the sources"
                )
            read.add(place)
            _parse(graph, [place], iformat)


def _parse(graph: Graph, sources: Iterable[str], iformat: str) -> None:
    """Parse files into a graph, each once. Raises InputError for an unknown format."""
    if iformat not in ("auto", *_FORMATS):
        raise InputError(f"iformat {iformat!r}: it must be one of auto, {', '.join(_FORMATS)}")
    for source in dict.fromkeys(map(str, sources)):
        syntax = _FORMATS.get(iformat) or _SUFFIXES.get(source.rpartition(".")[2].lower(), "xml")
        graph.parse(source, format=syntax)
