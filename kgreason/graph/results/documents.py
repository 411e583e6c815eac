"""Graphs as documents of RDF: Turtle and other formats, sorted, with prefixes.

    # The inferred triples of the graph.
    @prefix ex: <http://e/> .
    ex:tom a ex:Cat , ex:Pet ;
        ex:age 7 .

The default graph comes first, then the named graphs. Within a graph subjects are sorted, `a` is the first predicate,
and the others and the objects are sorted, each by its N-Triples text: IRIs, then blank nodes. So a small change of a
graph is a small change of its document. Prefixes that a document does not use are left out. Turtle, TriG and Notation3
say in a comment which triples they have.

Law: what is written is read back as an isomorphic graph (`rdf.writing`). Cost: sorting the terms, and the serializer.
The sorted rows are ids; the document is in memory up to 64 MB, then in a temporary file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, cast

import numpy as np
from pyoxigraph import Quad, Triple

from kgreason.errors import InputError
from kgreason.graph.input.terms import text_of
from kgreason.materialize.state import SavedState
from kgreason.rdf.formats import PARQUET
from kgreason.rdf.lines import parquet
from kgreason.rdf.writing import fits_xml, write
from kgreason.store.rows import line_chunks
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.prefixes import USUAL
from kgreason.terms.tags import parse_quads
from kgreason.terms.untagged_literals import PROBLEM, untagged_literal
from kgreason.terms.vocabulary import RDF_TYPE
from kgreason.zset.columns import Int32

LINES = ("nt", "nq")
"""The formats with a line for each triple. They are not sorted."""
WITH_GRAPHS = ("nq", "trig", "jsonld")
_WITH_COMMENTS = ("ttl", "trig", "n3")
_TITLES = {
    None: "All triples of the graph: asserted and inferred.",
    True: "The asserted triples of the graph, without inferred ones.",
    False: "The inferred triples of the graph, without asserted ones.",
}
_SPOOLED = 1 << 26
_PIECE = 1 << 20
_SUBJECT, _PREDICATE, _OBJECT = range(3)


def document_of(
    state: tuple[SavedState, Dictionary] | None,
    syntax: str,
    prefixes: Mapping[str, str],
    *,
    graphs: bool,
    asserted: bool | None,
) -> Iterator[bytes]:
    """Return the triples of a state, or with `graphs` its quads, in the format `syntax`; see `KnowledgeGraph.dump`."""
    if state is None:
        if syntax == PARQUET:
            return _pieces(lambda file: parquet.write([], Dictionary(), file))
        return iter(()) if syntax in LINES else document(Dictionary(), [], syntax, prefixes, asserted)
    saved, dictionary = state
    if syntax == PARQUET:
        return _parquet_pieces(saved, dictionary, [True, False] if asserted is None else [asserted])
    tables = saved.graphs(dictionary, asserted) if graphs else [saved.triples(dictionary, asserted=asserted)]
    tables = [rows[dictionary.are_rdf(rows)] for rows in tables]
    if syntax not in LINES:
        return document(dictionary, tables, syntax, prefixes, asserted)
    return map(_checked_lines, chain.from_iterable(line_chunks(dictionary, rows) for rows in tables))


def _parquet_pieces(saved: SavedState, dictionary: Dictionary, flags: Sequence[bool]) -> Iterator[bytes]:
    """Return the asserted (True) or inferred (False) triples of a state as a Parquet file, in pieces."""
    tables = [(saved.triples(dictionary, asserted=flag), flag) for flag in flags]
    tables = [(rows[dictionary.are_rdf(rows)], flag) for rows, flag in tables]
    return _pieces(lambda file: parquet.write(tables, dictionary, file))


def _pieces(write: Callable[[IO[bytes]], object]) -> Iterator[bytes]:
    with SpooledTemporaryFile(_SPOOLED) as file:
        write(cast(IO[bytes], file))
        file.seek(0)
        yield from iter(lambda: file.read(_PIECE), b"")


def _checked_lines(lines: bytes) -> bytes:
    """Return the lines. Raises InputError for a literal that is no RDF, as early versions let it in."""
    if term := untagged_literal(lines):
        raise InputError(f'{term}: {PROBLEM}; find it by FILTER(LANG(?o) = "" && DATATYPE(?o) = rdf:langString)')
    return lines


def document(
    dictionary: Dictionary,
    tables: Sequence[Int32],
    syntax: str,
    prefixes: Mapping[str, str],
    asserted: bool | None,
) -> Iterator[bytes]:
    """Yield rows of ids, int32[n, 3] or int32[n, 4], as a document in the format `syntax`, such as `ttl`.

    `asserted` says which triples the rows are, as in `dump`. Raises InputError for a term that the format cannot say.
    """
    ids = np.unique(np.concatenate([np.zeros(1, np.int32), *(rows.ravel() for rows in tables)]))
    texts = dictionary.decode(ids)
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    lines = chain.from_iterable(line_chunks(dictionary, _sort_rows(rows, ids, ranks, texts)) for rows in tables)
    known = used_prefixes(prefixes, [texts[place] for place in order.tolist()], syntax)
    rows = (quad for chunk in lines for quad in parse_quads(chunk))
    yield from _pieces(lambda file: write_rows(rows, file, syntax, known, _TITLES[asserted]))


def _sort_rows(rows: Int32, ids: Int32, ranks: np.ndarray[tuple[int], np.dtype[np.int64]], texts: list[str]) -> Int32:
    """Sort rows by graph, subject, predicate and object. `ranks` has the place of each of `ids` in order."""
    keys = ranks[np.searchsorted(ids, rows)]
    is_type = np.array([text == RDF_TYPE for text in texts], dtype=np.bool_)
    keys[is_type[np.searchsorted(ids, rows[:, _PREDICATE])], _PREDICATE] = -1
    columns = [keys[:, _OBJECT], keys[:, _PREDICATE], keys[:, _SUBJECT], *keys[:, 3:].T]
    return rows[np.lexsort(columns)]


def write_rows(
    rows: Iterable[Quad | Triple], out: IO[bytes], syntax: str, prefixes: Mapping[str, str], title: str | None = None
) -> None:
    """Write rows as they come, after a comment with the `title` in formats that have comments. Raises InputError."""
    if title is not None and syntax in _WITH_COMMENTS:
        out.write(f"# {title}\n".encode())
    write(rows, out, syntax, prefixes)


def sort_triples(triples: Iterable[Triple]) -> list[Triple]:
    """Sort triples as a document has them."""
    return sorted(
        triples, key=lambda row: (str(row.subject), (text := str(row.predicate)) != RDF_TYPE, text, text_of(row.object))
    )


def used_prefixes(prefixes: Mapping[str, str], texts: Sequence[str], syntax: str) -> dict[str, str]:
    """Return rdf, rdfs, owl and xsd, and those prefixes whose namespace a term has; `term_texts` are terms in order."""
    found = dict(USUAL)
    for prefix, namespace in prefixes.items():
        place = bisect_left(texts, f"<{namespace}")
        if place < len(texts) and texts[place].startswith(f"<{namespace}") and (syntax != "rdf" or fits_xml(prefix)):
            found[prefix] = namespace
    return found
