"""Random programs with NOT, and random histories of triples and rules.

Predicates and individuals are few, so that rules meet. Four programs of five are layered: a rule negates only relations
that come before the one of its head. The others often form circles. Triples and unary and binary relations occur;
constants in heads give one predicate several strata. With `data`, rules also read asserted triples (DATA), and rules
derive triples that are asserted as well.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from kgreason.rules.model import DATA, Atom, Not, Rule, Variable

_Relation = tuple[str | None, str | int]
_INDIVIDUALS = tuple(f"<http://e/{name}>" for name in "abcd")
_PREDICATES: tuple[_Relation, ...] = ((None, "<http://e/p>"), (None, "<http://e/q>"), (None, "<http://e/r>"))
_RELATIONS = (*_PREDICATES, ("u", 1), ("w", 1), ("e", 2))
_VARIABLES = tuple(map(Variable, "xyz"))
Triple = tuple[str, str, str]
Fact = tuple[str, tuple[str, ...]]
_NO_FACTS: frozenset[Fact] = frozenset()


class Commit(NamedTuple):
    """Triples to add and to remove, all rules from now on, and facts of relations to add and to remove."""

    added: frozenset[Triple]
    removed: frozenset[Triple]
    rules: tuple[Rule, ...]
    added_facts: frozenset[Fact] = _NO_FACTS
    removed_facts: frozenset[Fact] = _NO_FACTS


def history(seed: int, steps: int = 8, *, data: float = 0, facts: bool = False) -> list[Commit]:
    """A random history over a pool of rules; a removal may name an absent triple.

    data: the share of the triple patterns that read asserted triples only. facts: whether commits also add and remove
    facts of relations.
    """
    random = Random(seed)
    individuals = _INDIVIDUALS[: random.randint(2, 4)]
    relations = random.sample(_RELATIONS, random.randint(2, len(_RELATIONS)))
    if all(relation is not None for relation, _ in relations):
        relations.insert(0, _RELATIONS[0])
    draw = _Draw(random, individuals, relations, is_layered=random.random() < 0.8, data=data)
    pool = [draw.rule(number) for number in range(random.randint(2, 12))]
    commits = []
    rules: set[int] = set()
    for _ in range(steps):
        rules = {number for number in range(len(pool)) if random.random() < (0.75 if number in rules else 0.4)}
        added = frozenset(draw.triple() for _ in range(random.choice([0, 0, 1, 2, 4])))
        removed = frozenset(draw.triple() for _ in range(random.choice([0, 1, 3]))) - added
        commit = Commit(added, removed, tuple(pool[number] for number in sorted(rules)))
        if facts:
            come = frozenset(draw.fact() for _ in range(random.choice([0, 1, 3])))
            gone = frozenset(draw.fact() for _ in range(random.choice([0, 1, 3]))) - come
            commit = commit._replace(added_facts=come, removed_facts=gone)
        commits.append(commit)
    return commits


class _Draw:
    """Draws of atoms, rules and triples."""

    def __init__(
        self,
        random: Random,
        individuals: tuple[str, ...],
        relations: list[_Relation],
        *,
        is_layered: bool,
        data: float = 0,
    ):
        self._random, self._individuals, self._relations = random, individuals, relations
        self._is_layered, self._data = is_layered, data

    def triple(self) -> Triple:
        predicates = [str(name) for relation, name in self._relations if relation is None]
        choice = self._random.choice
        return choice(self._individuals), choice(predicates), choice(self._individuals)

    def fact(self) -> Fact:
        relation, width = self._random.choice([("u", 1), ("w", 1), ("e", 2)])
        return relation, tuple(self._random.choice(self._individuals) for _ in range(width))

    def rule(self, number: int) -> Rule:
        layer = self._random.randrange(len(self._relations))
        read, absent = self._relations, self._relations
        if self._is_layered:
            read, absent = self._relations[: layer + 1], self._relations[:layer]
        body = tuple(self._read(read, _VARIABLES, 0.1) for _ in range(self._random.choice([1, 1, 2, 2, 3])))
        bound = tuple(dict.fromkeys(term for atom in body for term in atom.terms if isinstance(term, Variable)))
        head = self._atom([self._relations[layer]], bound, 0.3 if bound else 1)
        negated = tuple(self._not(absent, bound) for _ in range(self._random.choice([0, 1, 1, 2]) if absent else 0))
        return Rule((head,), body, f"r{number}", negated=negated)

    def _not(self, relations: list[_Relation], bound: tuple[Variable, ...]) -> Not:
        if self._random.random() < 0.3:
            local = Variable("n")
            atoms = tuple(
                self._read(relations, (*bound, local, local), 0.1) for _ in range(self._random.choice([1, 1, 2]))
            )
            if any(local in atom.terms for atom in atoms):
                return Not(atoms, (local,))
        return Not((self._read(relations, bound, 0.2 if bound else 1),))

    def _read(self, relations: list[_Relation], variables: tuple[Variable, ...], constants: float) -> Atom:
        """An atom of a body. DATA may have any predicate: asserted triples are in no layer."""
        if self._data and self._random.random() < self._data:
            patterns = [relation for relation in self._relations if relation[0] is None]
            return self._atom(patterns, variables, constants)._replace(relation=DATA)
        return self._atom(relations, variables, constants)

    def _atom(self, relations: list[_Relation], variables: tuple[Variable, ...], constants: float) -> Atom:
        relation, name = self._random.choice(relations)
        width = 2 if relation is None else int(name)
        terms = [
            self._random.choice(self._individuals)
            if self._random.random() < constants
            else self._random.choice(variables)
            for _ in range(width)
        ]
        if relation is None:
            return Atom(None, (terms[0], str(name), terms[1]))
        return Atom(relation, tuple(terms))
