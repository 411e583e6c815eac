"""OWL 2 Profiles, section 4.3, Table 5: the semantics of axioms about properties. One function for each row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.oracle import vocabulary as v
from tests.oracle.graph import Contradiction, Graph, Items, Triple


def prp_ap(_: Graph) -> Iterator[Triple]:
    for ap in v.ANNOTATION_PROPERTIES:
        yield ap, v.TYPE, v.ANNOTATION_PROPERTY


def prp_dom(g: Graph) -> Iterator[Triple]:
    for p, c in g.pairs(v.DOMAIN):
        for x, _ in g.pairs(p):
            yield x, v.TYPE, c


def prp_rng(g: Graph) -> Iterator[Triple]:
    for p, c in g.pairs(v.RANGE):
        for _, y in g.pairs(p):
            yield y, v.TYPE, c


def prp_fp(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.FUNCTIONAL):
        for x, y1 in g.pairs(p):
            for y2 in g.objects(x, p):
                yield y1, v.SAME_AS, y2


def prp_ifp(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.INVERSE_FUNCTIONAL):
        for x1, y in g.pairs(p):
            for x2 in g.subjects(p, y):
                yield x1, v.SAME_AS, x2


def prp_irp(g: Graph) -> Iterator[Contradiction]:
    for p in g.instances(v.IRREFLEXIVE):
        for x, y in g.pairs(p):
            if x == y:
                yield Contradiction("prp-irp", frozenset({(p, v.TYPE, v.IRREFLEXIVE)}), frozenset({(x, p, x)}))


def prp_symp(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.SYMMETRIC):
        for x, y in g.pairs(p):
            yield y, p, x


def prp_asyp(g: Graph) -> Iterator[Contradiction]:
    for p in g.instances(v.ASYMMETRIC):
        for x, y in g.pairs(p):
            if (y, p, x) in g:
                yield Contradiction(
                    "prp-asyp", frozenset({(p, v.TYPE, v.ASYMMETRIC)}), frozenset({(x, p, y), (y, p, x)})
                )


def prp_trp(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.TRANSITIVE):
        for x, y in g.pairs(p):
            for z in g.objects(y, p):
                yield x, p, z


def prp_spo1(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.SUB_PROPERTY_OF):
        for x, y in g.pairs(p1):
            yield x, p2, y


def prp_spo2(g: Graph) -> Iterator[Triple]:
    for p, head in g.pairs(v.PROPERTY_CHAIN):
        for first, *others in g.lists(head):
            paths = {pair for p1 in first for pair in g.pairs(p1)}
            for step in others:
                paths = {(u1, v1) for u1, u in paths for pi in step for v1 in g.objects(u, pi)}
            for u1, u in paths:
                yield u1, p, u


def prp_eqp1(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.EQUIVALENT_PROPERTY):
        for x, y in g.pairs(p1):
            yield x, p2, y


def prp_eqp2(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.EQUIVALENT_PROPERTY):
        for x, y in g.pairs(p2):
            yield x, p1, y


def prp_pdw(g: Graph) -> Iterator[Contradiction]:
    for p1, p2 in g.pairs(v.PROPERTY_DISJOINT_WITH):
        axioms = frozenset({(p1, v.PROPERTY_DISJOINT_WITH, p2)})
        for x, y in g.pairs(p1) & g.pairs(p2):
            yield Contradiction("prp-pdw", axioms, frozenset({(x, p1, y), (x, p2, y)}))


def prp_adp(g: Graph) -> Iterator[Contradiction]:
    for x, head in g.pairs(v.MEMBERS):
        declared = (x, v.TYPE, v.ALL_DISJOINT_PROPERTIES)
        if declared not in g:
            continue
        axioms = frozenset({declared, (x, v.MEMBERS, head)})
        for items in g.lists(head):
            for j, later in enumerate(items):
                for pi, pj in ((pi, pj) for earlier in items[:j] for pi in earlier for pj in later):
                    for u, v1 in g.pairs(pi) & g.pairs(pj):
                        yield Contradiction("prp-adp", axioms, frozenset({(u, pi, v1), (u, pj, v1)}))


def prp_inv1(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.INVERSE_OF):
        for x, y in g.pairs(p1):
            yield y, p2, x


def prp_inv2(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.INVERSE_OF):
        for x, y in g.pairs(p2):
            yield y, p1, x


def prp_key(g: Graph) -> Iterator[Triple]:
    for c, head in g.pairs(v.HAS_KEY):
        for keys in g.lists(head):
            for x, y in _share_first_key(g, c, keys):
                if all(_values(g, x, key) & _values(g, y, key) for key in keys):
                    yield x, v.SAME_AS, y


def _share_first_key(g: Graph, c: str, keys: Items) -> Iterator[tuple[str, str]]:
    owners = defaultdict(set)
    for x in g.instances(c):
        for z in _values(g, x, keys[0]):
            owners[z].add(x)
    for xs in owners.values():
        for x in xs:
            for y in xs:
                yield x, y


def _values(g: Graph, x: str, key: frozenset[str]) -> set[tuple[str, str]]:
    return {(p, z) for p in key for z in g.objects(x, p)}


def prp_npa1(g: Graph) -> Iterator[Contradiction]:
    return _negative_assertion(g, "prp-npa1", v.TARGET_INDIVIDUAL)


def prp_npa2(g: Graph) -> Iterator[Contradiction]:
    return _negative_assertion(g, "prp-npa2", v.TARGET_VALUE)


def _negative_assertion(g: Graph, row: str, target: str) -> Iterator[Contradiction]:
    for x, i1 in g.pairs(v.SOURCE_INDIVIDUAL):
        for p in g.objects(x, v.ASSERTION_PROPERTY):
            for i2 in g.objects(x, target):
                if (i1, p, i2) in g:
                    axioms = frozenset({(x, v.SOURCE_INDIVIDUAL, i1), (x, v.ASSERTION_PROPERTY, p), (x, target, i2)})
                    yield Contradiction(row, axioms, frozenset({(i1, p, i2)}))


ROWS = (
    *(prp_ap, prp_dom, prp_rng, prp_fp, prp_ifp, prp_symp, prp_trp, prp_spo1, prp_spo2),
    *(prp_eqp1, prp_eqp2, prp_inv1, prp_inv2, prp_key),
)
CHECKS = (prp_irp, prp_asyp, prp_pdw, prp_adp, prp_npa1, prp_npa2)
