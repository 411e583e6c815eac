"""OWL 2 EL in plain Python: the completion rules of EL++ over normal forms, applied until nothing is new.

Source: Baader, Brandt, Lutz: Pushing the EL Envelope (IJCAI 2005), Table 2, and for ranges and reflexive roles Pushing
the EL Envelope Further (OWLED 2008): where a role has a range, `C below (r some B)` becomes `C below (r some X)` with a
new X below B and below the ranges of r. An individual is a concept that is not empty.

An expression is a name, ("and", C, D), ("some", r, C) or ("not", C) on the right. An axiom is a tuple:

    ("sub", C, D)   ("same", C, D)   ("disjoint", C, D)   ("domain", r, C)   ("range", r, C)   ("reflexive", r)
    ("role", r, s)  ("chain", r, s, t)   ("type", i, C)   ("link", i, r, j)

Cost: that of trying each rule on each pair, again and again. Use it on ontologies of some dozen names.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any, TypeAlias

TOP, BOTTOM = "Thing", "Nothing"
Expression: TypeAlias = Any
Axiom: TypeAlias = tuple[Any, ...]


class _Normal:
    """The normal forms of axioms, each kind in a set of its own."""

    def __init__(self, axioms: Iterable[Axiom]) -> None:
        self._fresh = (f"+{number}" for number in count())
        self.sub: set[tuple[str, str]] = set()
        self.both: set[tuple[str, str, str]] = set()
        self.gives: set[tuple[str, str, str]] = set()
        self.asks: set[tuple[str, str, str]] = set()
        self.roles: set[tuple[str, str]] = set()
        self.chains: set[tuple[str, str, str]] = set()
        self.reflexive: set[str] = set()
        self.ranges: set[tuple[str, str]] = set()
        self.individuals: set[str] = set()
        self.links: set[tuple[str, str, str]] = set()
        self.names = {TOP, BOTTOM}
        for axiom in axioms:
            self._add(*axiom)
        self._close_roles()
        self._apply_ranges()

    def _add(self, kind: str, *parts: Any) -> None:
        match kind, parts:
            case "sub", (left, right):
                self.sub.add((self._left_name(left), self._right(right)))
            case "same", (left, right):
                self._add("sub", left, right)
                self._add("sub", right, left)
            case "disjoint", (left, right):
                self.both.add((self._left_name(left), self._left_name(right), BOTTOM))
            case "domain", (role, concept):
                self.asks.add((role, TOP, self._right(concept)))
            case "range", (role, concept):
                self.ranges.add((role, self._right(concept)))
            case "reflexive", (role,):
                self.reflexive.add(role)
            case "role", (role, above):
                self.roles.add((role, above))
            case "chain", (first, second, role):
                self.chains.add((first, second, role))
            case "type", (individual, concept):
                self.individuals.add(individual)
                self.sub.add((individual, self._right(concept)))
            case "link", (individual, role, other):
                self.individuals |= {individual, other}
                self.links.add((individual, role, other))
            case _:
                raise ValueError(f"no axiom: {kind} {parts}")

    def _name(self) -> str:
        name = next(self._fresh)
        self.names.add(name)
        return name

    def _left_name(self, expression: Expression) -> str:
        """Return a name that is above the expression."""
        if isinstance(expression, str):
            self.names.add(expression)
            return expression
        name = self._name()
        match expression:
            case "and", left, right:
                self.both.add((self._left_name(left), self._left_name(right), name))
            case "some", role, filler:
                self.asks.add((role, self._left_name(filler), name))
        return name

    def _right(self, expression: Expression) -> str:
        """Return a name that is below the expression."""
        if isinstance(expression, str):
            self.names.add(expression)
            return expression
        name = self._name()
        match expression:
            case "and", left, right:
                self.sub |= {(name, self._right(left)), (name, self._right(right))}
            case "some", role, filler:
                self.gives.add((name, role, self._right(filler)))
            case "not", other:
                self.both.add((name, self._left_name(other), BOTTOM))
        return name

    def _close_roles(self) -> None:
        """Close the roles; a chain through a reflexive role is a subrole as well."""
        all_roles = {role for pair in self.roles for role in pair} | self.reflexive
        all_roles |= {role for chain in self.chains for role in chain}
        all_roles |= {role for _, role, _ in (*self.gives, *self.links)} | {role for role, *_ in self.asks}
        all_roles |= {role for role, _ in self.ranges}
        self.roles |= {(role, role) for role in all_roles}
        while True:
            more = {(r, t) for r, s in self.roles for q, t in self.roles if s == q}
            reflexive = {s for r, s in self.roles if r in self.reflexive}
            reflexive |= {t for r, s, t in self.chains if r in self.reflexive and s in self.reflexive}
            more |= {(s, t) for r, s, t in self.chains if r in self.reflexive}
            more |= {(r, t) for r, s, t in self.chains if s in self.reflexive}
            if more <= self.roles and reflexive <= self.reflexive:
                return
            self.roles |= more
            self.reflexive |= reflexive

    def _apply_ranges(self) -> None:
        ranges = {(r, concept) for r, s in self.roles for role, concept in self.ranges if s == role}
        ranged = {role for role, _ in ranges}
        for name, role, filler in [each for each in self.gives if each[1] in ranged]:
            self.gives.remove((name, role, filler))
            within = self._name()
            self.gives.add((name, role, within))
            self.sub |= {(within, filler), *((within, concept) for r, concept in ranges if r == role)}
        self.sub |= {(j, concept) for _, role, j in self.links for r, concept in ranges if r == role}
        self.sub |= {(TOP, concept) for role, concept in ranges if role in self.reflexive}
        self.gives |= self.links


def subsumptions(axioms: Iterable[Axiom]) -> set[tuple[str, str]]:
    """Return all pairs (c, d) of different names so that c is below d; without those that start from new names."""
    form = _Normal(axioms)
    names = form.names | form.individuals
    above = {name: {name, TOP} for name in names}
    links: dict[str, set[tuple[str, str]]] = {role: set() for role, _ in form.roles}
    size = -1
    while size < (size := sum(map(len, above.values())) + sum(map(len, links.values()))):
        for name in names:
            _below(form, name, above, links)
        _linked(form, above, links)
        if any(BOTTOM in above[individual] for individual in form.individuals):
            above[TOP].add(BOTTOM)
        for name in names:
            above[name] |= above[TOP]
    return {(c, d) for c in names for d in above[c] if c != d and "+" not in c + d}


def _below(form: _Normal, name: str, above: dict[str, set[str]], links: dict[str, set[tuple[str, str]]]) -> None:
    known = above[name]
    known |= {d for c, d in form.sub if c in known}
    known |= {d for c, other, d in form.both if c in known and other in known}
    known |= {d for role, c, d in form.asks if role in form.reflexive and c in known}
    for c, role, filler in form.gives:
        if c in known:
            links[role].add((name, filler))


def _linked(form: _Normal, above: dict[str, set[str]], links: dict[str, set[tuple[str, str]]]) -> None:
    for r, s in form.roles:
        links[s] |= links[r]
    for r, s, t in form.chains:
        links[t] |= {(x, z) for x, y in links[r] for w, z in links[s] if y == w}
    for role, pairs in links.items():
        for x, y in pairs:
            above[x] |= {d for asked, c, d in form.asks if asked == role and c in above[y]}
            if BOTTOM in above[y]:
                above[x].add(BOTTOM)
