"""OWL 2 Profiles, section 4.3, Table 9: the semantics of schema vocabulary. One function for each row."""

from __future__ import annotations

from collections.abc import Iterator

from tests.oracle import vocabulary as v
from tests.oracle.graph import Graph, Triple


def scm_cls(g: Graph) -> Iterator[Triple]:
    for c in g.instances(v.CLASS):
        yield c, v.SUB_CLASS_OF, c
        yield c, v.EQUIVALENT_CLASS, c
        yield c, v.SUB_CLASS_OF, v.THING
        yield v.NOTHING, v.SUB_CLASS_OF, c


def scm_sco(g: Graph) -> Iterator[Triple]:
    return _transitive(g, v.SUB_CLASS_OF)


def scm_eqc1(g: Graph) -> Iterator[Triple]:
    for c1, c2 in g.pairs(v.EQUIVALENT_CLASS):
        yield c1, v.SUB_CLASS_OF, c2
        yield c2, v.SUB_CLASS_OF, c1


def scm_eqc2(g: Graph) -> Iterator[Triple]:
    for c1, c2 in g.pairs(v.SUB_CLASS_OF):
        if (c2, v.SUB_CLASS_OF, c1) in g:
            yield c1, v.EQUIVALENT_CLASS, c2


def scm_op(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.OBJECT_PROPERTY):
        yield p, v.SUB_PROPERTY_OF, p
        yield p, v.EQUIVALENT_PROPERTY, p


def scm_dp(g: Graph) -> Iterator[Triple]:
    for p in g.instances(v.DATATYPE_PROPERTY):
        yield p, v.SUB_PROPERTY_OF, p
        yield p, v.EQUIVALENT_PROPERTY, p


def scm_spo(g: Graph) -> Iterator[Triple]:
    return _transitive(g, v.SUB_PROPERTY_OF)


def scm_eqp1(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.EQUIVALENT_PROPERTY):
        yield p1, v.SUB_PROPERTY_OF, p2
        yield p2, v.SUB_PROPERTY_OF, p1


def scm_eqp2(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.SUB_PROPERTY_OF):
        if (p2, v.SUB_PROPERTY_OF, p1) in g:
            yield p1, v.EQUIVALENT_PROPERTY, p2


def scm_dom1(g: Graph) -> Iterator[Triple]:
    for p, c1 in g.pairs(v.DOMAIN):
        for c2 in g.objects(c1, v.SUB_CLASS_OF):
            yield p, v.DOMAIN, c2


def scm_dom2(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.SUB_PROPERTY_OF):
        for c in g.objects(p2, v.DOMAIN):
            yield p1, v.DOMAIN, c


def scm_rng1(g: Graph) -> Iterator[Triple]:
    for p, c1 in g.pairs(v.RANGE):
        for c2 in g.objects(c1, v.SUB_CLASS_OF):
            yield p, v.RANGE, c2


def scm_rng2(g: Graph) -> Iterator[Triple]:
    for p1, p2 in g.pairs(v.SUB_PROPERTY_OF):
        for c in g.objects(p2, v.RANGE):
            yield p1, v.RANGE, c


def scm_hv(g: Graph) -> Iterator[Triple]:
    for c1, c2 in _by_property(g, v.HAS_VALUE):
        yield c1, v.SUB_CLASS_OF, c2


def scm_svf1(g: Graph) -> Iterator[Triple]:
    for c1, c2 in _by_filler(g, v.SOME_VALUES_FROM):
        yield c1, v.SUB_CLASS_OF, c2


def scm_svf2(g: Graph) -> Iterator[Triple]:
    for c1, c2 in _by_property(g, v.SOME_VALUES_FROM):
        yield c1, v.SUB_CLASS_OF, c2


def scm_avf1(g: Graph) -> Iterator[Triple]:
    for c1, c2 in _by_filler(g, v.ALL_VALUES_FROM):
        yield c1, v.SUB_CLASS_OF, c2


def scm_avf2(g: Graph) -> Iterator[Triple]:
    for c1, c2 in _by_property(g, v.ALL_VALUES_FROM):
        yield c2, v.SUB_CLASS_OF, c1


def scm_int(g: Graph) -> Iterator[Triple]:
    for c, head in g.pairs(v.INTERSECTION_OF):
        for items in g.lists(head):
            for ci in frozenset().union(*items):
                yield c, v.SUB_CLASS_OF, ci


def scm_uni(g: Graph) -> Iterator[Triple]:
    for c, head in g.pairs(v.UNION_OF):
        for items in g.lists(head):
            for ci in frozenset().union(*items):
                yield ci, v.SUB_CLASS_OF, c


def _transitive(g: Graph, p: str) -> Iterator[Triple]:
    for x, y in g.pairs(p):
        for z in g.objects(y, p):
            yield x, p, z


def _by_filler(g: Graph, construct: str) -> Iterator[tuple[str, str]]:
    """Restrictions (c1, c2) on one property, the filler of c1 a subclass of the filler of c2."""
    for y1, y2 in g.pairs(v.SUB_CLASS_OF):
        for c1 in g.subjects(construct, y1):
            for c2 in g.subjects(construct, y2):
                if g.objects(c1, v.ON_PROPERTY) & g.objects(c2, v.ON_PROPERTY):
                    yield c1, c2


def _by_property(g: Graph, construct: str) -> Iterator[tuple[str, str]]:
    """Restrictions (c1, c2) with one filler, the property of c1 a subproperty of the property of c2."""
    for p1, p2 in g.pairs(v.SUB_PROPERTY_OF):
        for c1 in g.subjects(v.ON_PROPERTY, p1):
            for c2 in g.subjects(v.ON_PROPERTY, p2):
                if g.objects(c1, construct) & g.objects(c2, construct):
                    yield c1, c2


ROWS = (
    *(scm_cls, scm_sco, scm_eqc1, scm_eqc2, scm_op, scm_dp, scm_spo, scm_eqp1, scm_eqp2),
    *(scm_dom1, scm_dom2, scm_rng1, scm_rng2, scm_hv, scm_svf1, scm_svf2, scm_avf1, scm_avf2, scm_int, scm_uni),
)
