"""What pySHACL takes as a graph, as one graph of rdflib: graphs, datasets, files, texts, and several of these.

The triples of all graphs of a dataset are read together. Literals keep their lexical forms, which rdflib's own parsers
change. Nothing is fetched from the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BufferedIOBase, TextIOBase
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import pyoxigraph
from pyoxigraph import RdfFormat
from rdflib.graph import ConjunctiveGraph, Graph

from kgreason.bridges.rdflib.terms import Triple, to_rdflib, to_text
from kgreason.errors import InputError, RdfSyntaxError

Source: TypeAlias = "Graph | PathLike[str] | str | bytes | BufferedIOBase | TextIOBase"
_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "ttl": RdfFormat.TURTLE,
    "nt": RdfFormat.N_TRIPLES,
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "n3": RdfFormat.N3,
    "xml": RdfFormat.RDF_XML,
    "json-ld": RdfFormat.JSON_LD,
}
"""The formats, by the names that rdflib has for them."""


def graph_of(source: Source | Sequence[Source], syntax: str | None = None) -> Graph:
    """Return the graph of a source; a graph of rdflib is returned as it is.

    `syntax` is the name that rdflib has for the format of files and texts. Without it a text is Turtle, and the suffix
    of a file decides. Raises InputError for what cannot be read as a graph, and RdfSyntaxError.
    """
    if isinstance(source, Graph) and not isinstance(source, ConjunctiveGraph):
        return source
    found = Graph()
    for each in source if isinstance(source, (list, tuple)) else (source,):
        _read(each, syntax, found)
    return found


def lines_of(triples: Iterable[Triple]) -> bytes:
    """Write triples as N-Triples lines; blank nodes keep their labels. Raises InputError for an invalid term."""
    return "".join([f"{to_text(one)} {to_text(two)} {to_text(three)} .\n" for one, two, three in triples]).encode()


def _read(source: Source, syntax: str | None, into: Graph) -> None:
    if isinstance(source, Graph):
        triples = source.store.triples((None, None, None)) if isinstance(source, ConjunctiveGraph) else None
        for triple in source if triples is None else (triple for triple, _ in triples):
            into.add(triple)
    elif isinstance(source, str) and source.lower().startswith(("http:", "https:")):
        raise InputError(f"{source}: nothing is fetched from the network; pass a file or a graph")
    elif isinstance(source, (BufferedIOBase, TextIOBase)):
        _parse(source.read(), syntax, None, into)
    elif isinstance(source, PathLike) or (isinstance(source, str) and _is_path(source)):
        path = Path(source)
        _parse(path.read_bytes(), syntax, path, into)
    elif isinstance(source, (str, bytes)):
        _parse(source, syntax, None, into)
    else:
        raise InputError(f"pass a graph of rdflib, a file, or a text; got {type(source).__name__}")


def _parse(text: str | bytes, syntax: str | None, path: Path | None, into: Graph) -> None:
    format_ = _FORMATS.get(syntax.lower()) if syntax else RdfFormat.TURTLE
    if path and not syntax:
        format_ = RdfFormat.from_extension(path.suffix[1:])
    if format_ is None:
        raise InputError(f"{syntax or path}: unknown format; the formats are {', '.join(_FORMATS)}")
    try:
        parser = pyoxigraph.parse(text, format_, base_iri=path.resolve().as_uri() if path else None)
        for quad in parser:
            into.add((to_rdflib(quad.subject), to_rdflib(quad.predicate), to_rdflib(quad.object)))
    except SyntaxError as error:
        raise RdfSyntaxError(str(path or "the text"), error.lineno, error.offset, error.msg) from error
    for prefix, space in parser.prefixes.items():
        into.bind(prefix, space)


def _is_path(text: str) -> bool:
    try:
        return "\n" not in text and Path(text).is_file()
    except (OSError, ValueError):
        return False
