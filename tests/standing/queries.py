"""Random SPARQL queries over a few names, with every kind of pattern and of solution modifier.

`Queries.text` draws a query. Half of the queries have triple patterns, OPTIONAL and FILTER alone, in any order and
depth: standing queries answer these from deltas, if they are well-designed. The other queries have everything.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random

NAMES = (":a", ":b", ":c")
LITERALS = ("7", '"07"^^xsd:integer', "2", "2.5", '"x"', '"x"@en', "true")
PREDICATES = (":p", ":q", ":r")
CLASSES = (":C", ":D")
GRAPHS = (":g", ":h")
_VARIABLES = ("?x", "?y", "?z", "?w")
_MOST_TRIPLES = 5
"""So many patterns at most, as patterns that share no variable multiply their solutions."""


class Queries:
    """Draws queries. `is_simple`: whether the next query has triple patterns, OPTIONAL and FILTER alone."""

    def __init__(self, random: Random) -> None:
        self._random, self._new, self._left = random, count(), 0
        self.is_simple = False

    def text(self) -> str:
        """Draw a query."""
        random = self._random
        self._new, self._left, self.is_simple = count(), _MOST_TRIPLES, random.random() < 0.5
        block = self._group(random.choice([1, 2, 2, 3]))
        if self.is_simple:
            return f"SELECT {random.choice(['', '', 'DISTINCT ', 'REDUCED '])}{self._columns()} {block}"
        return self._whole(block)

    def _whole(self, block: str) -> str:
        """Return a query with solution modifiers, or of another form, around a block."""
        random, (one, other) = self._random, self._some(2)
        modifier = random.choice(["", "", "DISTINCT ", "REDUCED "])
        order = f"ORDER BY {random.choice(['', 'DESC '])}({one}) {other} LIMIT {random.randint(0, 4)}"
        grouped = f"GROUP BY {one} {random.choice(['', f'HAVING (COUNT({other}) > 1)'])}"
        return random.choice(
            [
                f"SELECT {modifier}{self._columns()} {block}",
                f"SELECT {modifier}{self._columns()} {block}",
                f"SELECT {modifier}{self._columns()} {block} VALUES {one} {{ {self._term()} UNDEF }}",
                f"SELECT {modifier}{one} {other} {block} {order} OFFSET {random.randint(0, 2)}",
                f"SELECT DISTINCT {one} {other} {block} {order}",
                f"SELECT {one} ({self._aggregate(other)} AS ?n) {block} {grouped}",
                f"SELECT ({self._aggregate(one)} AS ?n) {block}",
                f"SELECT ({one} AS ?n) ({other} = {self._term()} AS ?m) {block}",
                f"ASK {block}",
            ]
        )

    def _columns(self) -> str:
        return "*" if self._random.random() < 0.3 else " ".join(self._some(self._random.randint(1, 3)))

    def _some(self, number: int) -> list[str]:
        return self._random.sample(_VARIABLES, number)

    def _aggregate(self, variable: str) -> str:
        return self._random.choice(["COUNT(*)", *(f"{name}({variable})" for name in ("COUNT", "SUM", "MIN", "MAX"))])

    def _term(self) -> str:
        return self._random.choice([*NAMES, *NAMES, *LITERALS])

    def _group(self, depth: int) -> str:
        """Return a group `{ ... }` with parts of depth `depth`."""
        random = self._random
        parts = [self._triples()] if random.random() < 0.9 else []
        parts += [self._part(depth) for _ in range(random.choice([0, 1, 1, 2]))] if depth else []
        if random.random() < 0.4:
            random.shuffle(parts)
        return f"{{ {' '.join(parts)} }}"

    def _triples(self) -> str:
        number = min(self._left, self._random.choice([1, 1, 1, 2]))
        self._left -= number
        return "".join(f"{self._triple()} . " for _ in range(number))

    def _triple(self) -> str:
        random = self._random
        subject = random.choice([*_VARIABLES, *_VARIABLES, *_VARIABLES, random.choice(NAMES)])
        predicate = random.choice([*PREDICATES, *PREDICATES, random.choice(_VARIABLES)])
        object_ = random.choice([*_VARIABLES, *_VARIABLES, *_VARIABLES, self._term(), "[]"])
        return random.choice([f"{subject} {predicate} {object_}"] * 4 + [f"{subject} a {random.choice(CLASSES)}"])

    def _part(self, depth: int) -> str:
        simple: list[Callable[[int], str]] = [self._optional, self._optional, self._filter, self._exists]
        others = [
            self._union,
            self._minus,
            self._bind,
            self._values,
            self._inner,
            self._graph,
            self._path,
            self._nested,
        ]
        return self._random.choice(simple if self.is_simple else [*simple, *others])(depth - 1)

    def _optional(self, depth: int) -> str:
        return f"OPTIONAL {self._group(depth)}"

    def _exists(self, depth: int) -> str:
        return f"FILTER {self._random.choice(['', 'NOT '])}EXISTS {self._group(depth)}"

    def _filter(self, depth: int) -> str:
        one, other = self._some(2)
        conditions = [f"{one} = {other}", f"{one} != {other}", f"{one} != {self._term()}", f"BOUND({one})"]
        conditions += [f"!BOUND({one})", f"isLiteral({one}) || {other} = {self._term()}", f"{one} > 2", f"isIRI({one})"]
        if not self.is_simple:
            conditions.append(f"{one} = {other} || EXISTS {self._group(depth)}")
        return f"FILTER({self._random.choice(conditions)})"

    def _union(self, depth: int) -> str:
        return f"{self._group(depth)} UNION {self._group(depth)}"

    def _minus(self, depth: int) -> str:
        return f"MINUS {self._group(depth)}"

    def _nested(self, depth: int) -> str:
        return self._group(depth)

    def _bind(self, _: int) -> str:
        one, other = self._some(2)
        made = self._random.choice(
            [f"{one} + 1", f"STR({one})", one, f"COALESCE({one}, {other})", f"({one} = {other})"]
        )
        return f"BIND({made} AS ?b{next(self._new)})"

    def _values(self, _: int) -> str:
        one, other = self._some(2)
        rows = " ".join(f"({self._term()} {self._random.choice(['UNDEF', self._term()])})" for _ in range(2))
        return f"VALUES ({one} {other}) {{ {rows} }}"

    def _inner(self, depth: int) -> str:
        random, (one, other) = self._random, self._some(2)
        group, number = self._group(depth), next(self._new)
        return random.choice(
            [
                f"{{ SELECT {random.choice(['', 'DISTINCT '])}{one} {other} {group} }}",
                f"{{ SELECT {one} ({self._aggregate(other)} AS ?n{number}) {group} GROUP BY {one} }}",
                f"{{ SELECT DISTINCT {one} {other} {group} ORDER BY {one} {other} LIMIT 3 }}",
            ]
        )

    def _graph(self, depth: int) -> str:
        return f"GRAPH {self._random.choice([*_VARIABLES[:2], *GRAPHS])} {self._group(depth)}"

    def _path(self, _: int) -> str:
        one, other = self._random.choice([self._some(2), [self._random.choice(NAMES), self._some(1)[0]]])
        path = self._random.choice([":p+", ":p*", ":p?", ":p/:q", ":p|:q", "^:p", "(:p|^:q)+", "!(:p|a)", "!(:q|^:p)"])
        return f"{one} {path} {other} ."
