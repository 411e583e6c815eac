"""Which quads a graph holds, and which an imported document holds.

The quads of a document that `owl:imports` brought stand among the others. In the place of the graph's name they have a
string literal that spells the document's IRI. No RDF graph has a literal as its name, so a graph and a document never
meet, and engine, journal and snapshots treat both alike. Code that shows graphs to a user asks this module to tell them
apart.

Cost: one look at the kind of each name; none where all quads are in the default graph.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.terms.dictionary import Dictionary, Ids, Kind
from kgreason.zset.order import distinct


def source_of(iri: str) -> str:
    """The name that stands for the document with this IRI in the place of a graph's name."""
    return f'"{iri[1:-1]}"'


def are_sources(dictionary: Dictionary, graphs: Ids) -> NDArray[np.bool_]:
    """Whether each of the ids in the place of a graph's name is an imported document: bool[n]."""
    found: NDArray[np.bool_] = dictionary.kinds(graphs) == Kind.LITERAL
    return found


def documents(dictionary: Dictionary, quads: Ids) -> Ids:
    """The names of the imported documents that hold some of quads int32[n, 4]: int32[m]."""
    names = distinct(quads[:, 3])
    return names[are_sources(dictionary, names)]


def of_graphs(dictionary: Dictionary, quads: Ids) -> Ids:
    """The quads int32[n, 4] that a graph holds, the default graph or a named one."""
    return np.ascontiguousarray(quads[~are_sources(dictionary, quads[:, 3])])


def named(dictionary: Dictionary, quads: Ids) -> Ids:
    """The quads int32[n, 4] that a named graph holds."""
    found = quads[quads[:, 3] != 0]
    return of_graphs(dictionary, found) if len(found) else np.ascontiguousarray(found)


def merged(dictionary: Dictionary, quads: Ids) -> Ids:
    """All quads int32[n, 4], each once; those of imported documents are shown in the default graph."""
    is_source = are_sources(dictionary, quads[:, 3])
    if not is_source.any():
        return np.ascontiguousarray(quads)
    shown = np.array(quads)
    shown[is_source, 3] = 0
    return np.unique(shown, axis=0)
