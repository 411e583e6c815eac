"""RDFS and rho-df by the book: the entailment patterns of RDF Semantics, run until none adds a triple.

Sources: RDF 1.1 Semantics, section 9.2.1 (rdfs1 to rdfs13) and section 8.1.1 (rdfD2); Munoz, Perez and Gutierrez,
*Simple and Efficient Minimal RDFS* (2009), Table 1, for rho-df. The six rows of the *core* are those that say something
about the data; the others, and the reflexive rules of rho-df, are named options. Generalised triples are kept. The
datatype rows (rdfD1, and rdfs1 beyond the rdfs:Datatype triples that are there) and axiomatic triples are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from tests.oracle import vocabulary as v
from tests.oracle.tables.table5 import prp_dom, prp_rng, prp_spo1
from tests.oracle.tables.table7 import cax_sco
from tests.oracle.tables.table9 import scm_sco, scm_spo

from .graph import Graph, Triple
from .owl2rl import Row, saturate


def rdfs4a(g: Graph) -> Iterator[Triple]:
    for s, _, _ in g.triples:
        yield s, v.TYPE, v.RESOURCE


def rdfs4b(g: Graph) -> Iterator[Triple]:
    for _, _, o in g.triples:
        yield o, v.TYPE, v.RESOURCE


def rdfs6(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.PROPERTY):
        yield p, v.SUB_PROPERTY_OF, p


def rdfs8(g: Graph) -> Iterator[Triple]:
    for c in g.instances(v.RDFS_CLASS):
        yield c, v.SUB_CLASS_OF, v.RESOURCE


def rdfs10(g: Graph) -> Iterator[Triple]:
    for c in g.instances(v.RDFS_CLASS):
        yield c, v.SUB_CLASS_OF, c


def rdfs12(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.CONTAINER_MEMBERSHIP):
        yield p, v.SUB_PROPERTY_OF, v.MEMBER


def rdfs13(g: Graph) -> Iterator[Triple]:
    for d in g.instances(v.DATATYPE):
        yield d, v.SUB_CLASS_OF, v.LITERAL


def rdf_d2(g: Graph) -> Iterator[Triple]:
    for _, p, _ in g.triples:
        yield p, v.TYPE, v.PROPERTY


def rho_5a(g: Graph) -> Iterator[Triple]:
    for c, a in g.pairs(v.SUB_PROPERTY_OF):
        for b in g.objects(a, v.DOMAIN):
            for x, _ in g.pairs(c):
                yield x, v.TYPE, b


def rho_5b(g: Graph) -> Iterator[Triple]:
    for c, a in g.pairs(v.SUB_PROPERTY_OF):
        for b in g.objects(a, v.RANGE):
            for _, y in g.pairs(c):
                yield y, v.TYPE, b


def rho_6(g: Graph) -> Iterator[Triple]:
    """Rules 6a to 6d: reflexive rdfs:subPropertyOf."""
    vocabulary = (v.SUB_PROPERTY_OF, v.SUB_CLASS_OF, v.DOMAIN, v.RANGE, v.TYPE)
    used = {p for _, p, _ in g.triples}
    related = {term for pair in g.pairs(v.SUB_PROPERTY_OF) for term in pair}
    typed = {a for p in (v.DOMAIN, v.RANGE) for a, _ in g.pairs(p)}
    for p in used | related | typed | set(vocabulary):
        yield p, v.SUB_PROPERTY_OF, p


def rho_7(g: Graph) -> Iterator[Triple]:
    """Rules 7a and 7b: reflexive rdfs:subClassOf."""
    related = {term for pair in g.pairs(v.SUB_CLASS_OF) for term in pair}
    typing = {a for p in (v.DOMAIN, v.RANGE, v.TYPE) for _, a in g.pairs(p)}
    for c in related | typing:
        yield c, v.SUB_CLASS_OF, c


CORE: dict[str, Row] = {
    "rdfs2": prp_dom,
    "rdfs3": prp_rng,
    "rdfs5": scm_spo,
    "rdfs7": prp_spo1,
    "rdfs9": cax_sco,
    "rdfs11": scm_sco,
}
OPTIONS: dict[str, Row] = {
    "rdfD2": rdf_d2,
    "rdfs4a": rdfs4a,
    "rdfs4b": rdfs4b,
    "rdfs6": rdfs6,
    "rdfs8": rdfs8,
    "rdfs10": rdfs10,
    "rdfs12": rdfs12,
    "rdfs13": rdfs13,
}


def rdfs_close(triples: Iterable[Triple], *, options: Collection[str] = ()) -> set[Triple]:
    """The closure under the six core rows and the options named."""
    return _closed(triples, [*CORE.values(), *(OPTIONS[name] for name in options)])


def rhodf_close(triples: Iterable[Triple], *, reflexive: bool = False) -> set[Triple]:
    """The closure under rules 2 to 5 of rho-df, and with `reflexive` under rules 6 and 7."""
    return _closed(triples, [*CORE.values(), rho_5a, rho_5b, *((rho_6, rho_7) if reflexive else ())])


def _closed(triples: Iterable[Triple], rows: Iterable[Row]) -> set[Triple]:
    graph = Graph(triples)
    saturate(graph, rows)
    return graph.triples
