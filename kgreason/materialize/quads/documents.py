"""Tells quads of graphs from quads of imported documents.

The quads of a document that `owl:imports` brought are kept among the others. In the place of a graph's name they have a
string literal with the document's IRI. No RDF graph has a literal as its name, so graphs and documents are never
confused, and engine, journal and snapshots treat both alike. Code that shows graphs to users calls this module to
distinguish them.

Cost: one look at the kind of each name; nothing while all quads are in the default graph.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.terms.dictionary import Dictionary, Ids, Kind
from kgreason.zset.order import distinct


def source_of(iri: str) -> str:
    """Return the literal that a quad of the document with this IRI has in the place of a graph's name."""
    return f'"{iri[1:-1]}"'


def are_sources(dictionary: Dictionary, graphs: Ids) -> NDArray[np.bool_]:
    """Return for each id of `graphs`, int32[n], whether it stands for an imported document: bool[n]."""
    found: NDArray[np.bool_] = dictionary.kinds(graphs) == Kind.LITERAL
    return found


def documents(dictionary: Dictionary, quads: Ids) -> Ids:
    """Return the names of the imported documents that have one of the quads int32[n, 4]: int32[m]."""
    names = distinct(quads[:, 3])
    return names[are_sources(dictionary, names)]


def quads_of_graphs(dictionary: Dictionary, quads: Ids) -> Ids:
    """Return the quads among int32[n, 4] that belong to the default graph or a named graph."""
    return np.ascontiguousarray(quads[~are_sources(dictionary, quads[:, 3])])


def quads_of_named(dictionary: Dictionary, quads: Ids) -> Ids:
    """Return the quads among int32[n, 4] that belong to a named graph."""
    found = quads[quads[:, 3] != 0]
    return quads_of_graphs(dictionary, found) if len(found) else np.ascontiguousarray(found)


def merge_documents(dictionary: Dictionary, quads: Ids) -> Ids:
    """Return all quads int32[n, 4], each once. Quads of imported documents become quads of the default graph."""
    is_source = are_sources(dictionary, quads[:, 3])
    if not is_source.any():
        return np.ascontiguousarray(quads)
    shown = np.array(quads)
    shown[is_source, 3] = 0
    return np.unique(shown, axis=0)
