"""RDFS and rho-df by the book: the entailment patterns of RDF Semantics, run until none adds a triple.

Sources: RDF 1.1 Semantics, section 9.2.1 (rdfs1 to rdfs13) and section 8.1.1 (rdfD2); Munoz, Perez and Gutierrez,
*Simple and Efficient Minimal RDFS* (2009), Table 1, for rho-df. The six rows of the *core* are those that say something
about the data; the others, and the reflexive rules of rho-df, are named options. Generalised triples are kept. The
datatype rows (rdfD1, and rdfs1 beyond the rdfs:Datatype triples that are there) and axiomatic triples are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial

from tests.oracle.tables import rows

from .graph import Graph, Triple
from .owl2rl import Row, saturate

_ROWS: dict[str, Row] = {name: partial(rows.conclusions, row) for name, row in rows.rows(rows.RDFS).items()}
CORE = {name: _ROWS.pop(name) for name in ("rdfs2", "rdfs3", "rdfs5", "rdfs7", "rdfs9", "rdfs11")}
OPTIONS = _ROWS
_RHO_DF: dict[str, Row] = {name: partial(rows.conclusions, row) for name, row in rows.rows(rows.RHO_DF).items()}


def rdfs_close(triples: Iterable[Triple], *, options: Collection[str] = ()) -> set[Triple]:
    """The closure under the six core rows and the options named."""
    return _closure(triples, [*CORE.values(), *(OPTIONS[name] for name in options)])


def rhodf_close(triples: Iterable[Triple], *, reflexive: bool = False) -> set[Triple]:
    """The closure under rules 2 to 5 of rho-df, and with `reflexive` under rules 6 and 7."""
    return _closure(triples, [*CORE.values(), *(row for name, row in _RHO_DF.items() if reflexive or name[0] == "5")])


def _closure(triples: Iterable[Triple], rows: Iterable[Row]) -> set[Triple]:
    graph = Graph(triples)
    saturate(graph, rows)
    return graph.triples
