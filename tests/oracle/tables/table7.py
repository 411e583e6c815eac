"""OWL 2 Profiles, section 4.3, Table 7: the semantics of class axioms. One function for each row, named after it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.oracle.graph import Contradiction, Graph, Triple
from tests.oracle.vocabulary import ALL_DISJOINT_CLASSES, DISJOINT_WITH, EQUIVALENT_CLASS, MEMBERS, SUB_CLASS_OF, TYPE


def cax_sco(g: Graph) -> Iterator[Triple]:
    for c1, c2 in g.pairs(SUB_CLASS_OF):
        for x in g.instances(c1):
            yield x, TYPE, c2


def cax_eqc1(g: Graph) -> Iterator[Triple]:
    for c1, c2 in g.pairs(EQUIVALENT_CLASS):
        for x in g.instances(c1):
            yield x, TYPE, c2


def cax_eqc2(g: Graph) -> Iterator[Triple]:
    for c1, c2 in g.pairs(EQUIVALENT_CLASS):
        for x in g.instances(c2):
            yield x, TYPE, c1


def cax_dw(g: Graph) -> Iterator[Contradiction]:
    for c1, c2 in g.pairs(DISJOINT_WITH):
        axioms = frozenset({(c1, DISJOINT_WITH, c2)})
        for x in g.instances(c1) & g.instances(c2):
            yield Contradiction("cax-dw", axioms, frozenset({(x, TYPE, c1), (x, TYPE, c2)}))


def cax_adc(g: Graph) -> Iterator[Contradiction]:
    for x, head in g.pairs(MEMBERS):
        declared = (x, TYPE, ALL_DISJOINT_CLASSES)
        if declared not in g:
            continue
        axioms = frozenset({declared, (x, MEMBERS, head)})
        for items in g.lists(head):
            for j, later in enumerate(items):
                for ci, cj in ((ci, cj) for earlier in items[:j] for ci in earlier for cj in later):
                    for z in g.instances(ci) & g.instances(cj):
                        yield Contradiction("cax-adc", axioms, frozenset({(z, TYPE, ci), (z, TYPE, cj)}))


ROWS = (cax_sco, cax_eqc1, cax_eqc2)
CHECKS = (cax_dw, cax_adc)
