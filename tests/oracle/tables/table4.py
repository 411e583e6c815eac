"""OWL 2 Profiles, section 4.3, Table 4: the semantics of equality. One function for each row, named after it.

eq-ref is noise and off by default. So that no contradiction is lost with it, every term counts as equal to itself in
the eq-diff rows.

`ROWS` are to the letter. `CAREFUL` has other functions for four of them, which do not follow a link between two
literals that are known to differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from tests.oracle.graph import Contradiction, Graph, Triple
from tests.oracle.tables.table8 import are_apart
from tests.oracle.vocabulary import ALL_DIFFERENT, DIFFERENT_FROM, DISTINCT_MEMBERS, MEMBERS, SAME_AS, TYPE


def eq_ref(g: Graph) -> Iterator[Triple]:
    for triple in g.triples:
        for term in triple:
            yield term, SAME_AS, term


def eq_sym(g: Graph) -> Iterator[Triple]:
    for x, y in g.pairs(SAME_AS):
        yield y, SAME_AS, x


def eq_trans(g: Graph, *, careful: bool = False) -> Iterator[Triple]:
    for x, y in _links(g, careful):
        for z in g.objects(y, SAME_AS):
            if not (careful and are_apart(y, z)):
                yield x, SAME_AS, z


def eq_rep_s(g: Graph, *, careful: bool = False) -> Iterator[Triple]:
    equals = _equals(g, careful)
    for s, p, o in g.triples if equals else ():
        for other in equals.get(s, ()):
            yield other, p, o


def eq_rep_p(g: Graph, *, careful: bool = False) -> Iterator[Triple]:
    for p, other in _links(g, careful):
        for s, o in g.pairs(p):
            yield s, other, o


def eq_rep_o(g: Graph, *, careful: bool = False) -> Iterator[Triple]:
    equals = _equals(g, careful)
    for s, p, o in g.triples if equals else ():
        for other in equals.get(o, ()):
            yield s, p, other


def eq_diff1(g: Graph) -> Iterator[Contradiction]:
    for x, y in g.pairs(DIFFERENT_FROM):
        if _same(g, x, y):
            yield Contradiction("eq-diff1", frozenset(), frozenset({(x, SAME_AS, y), (x, DIFFERENT_FROM, y)}))


def eq_diff2(g: Graph) -> Iterator[Contradiction]:
    return _all_different(g, "eq-diff2", MEMBERS)


def eq_diff3(g: Graph) -> Iterator[Contradiction]:
    return _all_different(g, "eq-diff3", DISTINCT_MEMBERS)


def _all_different(g: Graph, row: str, members: str) -> Iterator[Contradiction]:
    for x, head in g.pairs(members):
        declared = (x, TYPE, ALL_DIFFERENT)
        if declared not in g:
            continue
        axioms = frozenset({declared, (x, members, head)})
        for items in g.lists(head):
            for j, later in enumerate(items):
                for earlier in items[:j]:
                    for same in ((a, SAME_AS, b) for a in earlier for b in later if _same(g, a, b)):
                        yield Contradiction(row, axioms, frozenset({same}))


def _same(g: Graph, x: str, y: str) -> bool:
    return x == y or (x, SAME_AS, y) in g


def _links(g: Graph, careful: bool) -> list[tuple[str, str]]:
    return [(x, y) for x, y in g.pairs(SAME_AS) if not (careful and are_apart(x, y))]


def _equals(g: Graph, careful: bool) -> dict[str, set[str]]:
    equals = defaultdict(set)
    for x, y in _links(g, careful):
        if x != y:
            equals[x].add(y)
    return equals


CAREFUL = {
    name: partial(row, careful=True)
    for name, row in (("eq-trans", eq_trans), ("eq-rep-s", eq_rep_s), ("eq-rep-p", eq_rep_p), ("eq-rep-o", eq_rep_o))
}
ROWS = (eq_ref, eq_sym, eq_trans, eq_rep_s, eq_rep_p, eq_rep_o)
CHECKS = (eq_diff1, eq_diff2, eq_diff3)
