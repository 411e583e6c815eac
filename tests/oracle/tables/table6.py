"""OWL 2 Profiles, section 4.3, Table 6: the semantics of classes. One function for each row, named after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.oracle import vocabulary as v
from tests.oracle.graph import Contradiction, Graph, Triple


def cls_thing(_: Graph) -> Iterator[Triple]:
    yield v.THING, v.TYPE, v.CLASS


def cls_nothing1(_: Graph) -> Iterator[Triple]:
    yield v.NOTHING, v.TYPE, v.CLASS


def cls_nothing2(g: Graph) -> Iterator[Contradiction]:
    for x in g.instances(v.NOTHING):
        yield Contradiction("cls-nothing2", frozenset(), frozenset({(x, v.TYPE, v.NOTHING)}))


def cls_int1(g: Graph) -> Iterator[Triple]:
    for c, head in g.pairs(v.INTERSECTION_OF):
        for items in g.lists(head):
            for y in set.intersection(*(_instances(g, classes) for classes in items)):
                yield y, v.TYPE, c


def cls_int2(g: Graph) -> Iterator[Triple]:
    for c, head in g.pairs(v.INTERSECTION_OF):
        for items in g.lists(head):
            for y in g.instances(c):
                for ci in frozenset().union(*items):
                    yield y, v.TYPE, ci


def cls_uni(g: Graph) -> Iterator[Triple]:
    for c, head in g.pairs(v.UNION_OF):
        for items in g.lists(head):
            for y in set().union(*(_instances(g, classes) for classes in items)):
                yield y, v.TYPE, c


def cls_com(g: Graph) -> Iterator[Contradiction]:
    for c1, c2 in g.pairs(v.COMPLEMENT_OF):
        axioms = frozenset({(c1, v.COMPLEMENT_OF, c2)})
        for x in g.instances(c1) & g.instances(c2):
            yield Contradiction("cls-com", axioms, frozenset({(x, v.TYPE, c1), (x, v.TYPE, c2)}))


def cls_svf1(g: Graph) -> Iterator[Triple]:
    for x, y in g.pairs(v.SOME_VALUES_FROM):
        for p in g.objects(x, v.ON_PROPERTY):
            for v1 in g.instances(y):
                for u in g.subjects(p, v1):
                    yield u, v.TYPE, x


def cls_svf2(g: Graph) -> Iterator[Triple]:
    for x in g.subjects(v.SOME_VALUES_FROM, v.THING):
        for p in g.objects(x, v.ON_PROPERTY):
            for u, _ in g.pairs(p):
                yield u, v.TYPE, x


def cls_avf(g: Graph) -> Iterator[Triple]:
    for x, y in g.pairs(v.ALL_VALUES_FROM):
        for p in g.objects(x, v.ON_PROPERTY):
            for u in g.instances(x):
                for v1 in g.objects(u, p):
                    yield v1, v.TYPE, y


def cls_hv1(g: Graph) -> Iterator[Triple]:
    for x, y in g.pairs(v.HAS_VALUE):
        for p in g.objects(x, v.ON_PROPERTY):
            for u in g.instances(x):
                yield u, p, y


def cls_hv2(g: Graph) -> Iterator[Triple]:
    for x, y in g.pairs(v.HAS_VALUE):
        for p in g.objects(x, v.ON_PROPERTY):
            for u in g.subjects(p, y):
                yield u, v.TYPE, x


def cls_maxc1(g: Graph) -> Iterator[Contradiction]:
    for x in g.subjects(v.MAX_CARDINALITY, v.ZERO):
        for p, u, y in _uses(g, x):
            axioms = frozenset({(x, v.MAX_CARDINALITY, v.ZERO), (x, v.ON_PROPERTY, p)})
            yield Contradiction("cls-maxc1", axioms, frozenset({(u, v.TYPE, x), (u, p, y)}))


def cls_maxc2(g: Graph) -> Iterator[Triple]:
    for x in g.subjects(v.MAX_CARDINALITY, v.ONE):
        for p, u, y1 in _uses(g, x):
            for y2 in g.objects(u, p):
                yield y1, v.SAME_AS, y2


def cls_maxqc1(g: Graph) -> Iterator[Contradiction]:
    for x in g.subjects(v.MAX_QUALIFIED, v.ZERO):
        for c in g.objects(x, v.ON_CLASS):
            for p, u, y in _uses(g, x):
                if (y, v.TYPE, c) in g:
                    axioms = frozenset({(x, v.MAX_QUALIFIED, v.ZERO), (x, v.ON_PROPERTY, p), (x, v.ON_CLASS, c)})
                    yield Contradiction("cls-maxqc1", axioms, frozenset({(u, v.TYPE, x), (u, p, y), (y, v.TYPE, c)}))


def cls_maxqc2(g: Graph) -> Iterator[Contradiction]:
    for x in g.subjects(v.MAX_QUALIFIED, v.ZERO) & g.subjects(v.ON_CLASS, v.THING):
        for p, u, y in _uses(g, x):
            axioms = frozenset({(x, v.MAX_QUALIFIED, v.ZERO), (x, v.ON_PROPERTY, p), (x, v.ON_CLASS, v.THING)})
            yield Contradiction("cls-maxqc2", axioms, frozenset({(u, v.TYPE, x), (u, p, y)}))


def cls_maxqc3(g: Graph) -> Iterator[Triple]:
    for x in g.subjects(v.MAX_QUALIFIED, v.ONE):
        for c in g.objects(x, v.ON_CLASS):
            for p, u, y1 in _uses(g, x):
                for y2 in g.objects(u, p):
                    if (y1, v.TYPE, c) in g and (y2, v.TYPE, c) in g:
                        yield y1, v.SAME_AS, y2


def cls_maxqc4(g: Graph) -> Iterator[Triple]:
    for x in g.subjects(v.MAX_QUALIFIED, v.ONE) & g.subjects(v.ON_CLASS, v.THING):
        for p, u, y1 in _uses(g, x):
            for y2 in g.objects(u, p):
                yield y1, v.SAME_AS, y2


def cls_oo(g: Graph) -> Iterator[Triple]:
    for c, head in g.pairs(v.ONE_OF):
        for items in g.lists(head):
            for y in frozenset().union(*items):
                yield y, v.TYPE, c


def _instances(g: Graph, classes: Iterable[str]) -> set[str]:
    return set().union(*map(g.instances, classes))


def _uses(g: Graph, x: str) -> Iterator[tuple[str, str, str]]:
    """Every (p, u, y) with T(x, owl:onProperty, p), T(u, rdf:type, x) and T(u, p, y)."""
    for p in g.objects(x, v.ON_PROPERTY):
        for u in g.instances(x):
            for y in g.objects(u, p):
                yield p, u, y


ROWS = (
    *(cls_thing, cls_nothing1, cls_int1, cls_int2, cls_uni, cls_svf1, cls_svf2, cls_avf, cls_hv1, cls_hv2),
    *(cls_maxc2, cls_maxqc3, cls_maxqc4, cls_oo),
)
CHECKS = (cls_nothing2, cls_com, cls_maxc1, cls_maxqc1, cls_maxqc2)
