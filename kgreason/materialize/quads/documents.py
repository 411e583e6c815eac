"""Which quads a graph holds, and which an imported document does.

A document that `owl:imports` brought is a source: its quads stand among the others, and in the place of a graph's name
they have a string that spells the document's IRI. No graph of RDF has a string for a name, so that the two cannot meet,
and engine, journal and snapshots know no difference. Whatever shows graphs asks here which of them are.

Cost: one look at the kind of each name; none where all quads are of the default graph.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.terms.dictionary import Dictionary, Ids, Kind


def source_of(iri: str) -> str:
    """What stands for the document with an IRI where a graph has its name."""
    return f'"{iri[1:-1]}"'


def are_sources(dictionary: Dictionary, graphs: Ids) -> NDArray[np.bool_]:
    """Whether each of the ids in the graphs' place is an imported document: bool[n]."""
    found: NDArray[np.bool_] = dictionary.kinds(graphs) == Kind.LITERAL
    return found


def documents(dictionary: Dictionary, quads: Ids) -> Ids:
    """What stands for the imported documents that hold some of quads int32[n, 4]: int32[m]."""
    names = np.unique(quads[:, 3])
    return names[are_sources(dictionary, names)]


def of_graphs(dictionary: Dictionary, quads: Ids) -> Ids:
    """Those of quads int32[n, 4] that a graph holds, the default one or another."""
    return np.ascontiguousarray(quads[~are_sources(dictionary, quads[:, 3])])


def named(dictionary: Dictionary, quads: Ids) -> Ids:
    """Those of quads int32[n, 4] that a named graph holds."""
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
