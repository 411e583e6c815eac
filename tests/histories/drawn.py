"""How a history is drawn: one generator, whose features are knobs.

The world is tiny, so that everything meets everything: facts are made from the atoms of the rules, the first commit
brings most of everything, and later ones mostly turn around what is there. A seed always gives the same history.
Hypothesis gives a random source that it shrinks (`strategies`).

    wide        positive rules only, as the engine takes them: relations of arity 0 to 3, variables as predicates,
                several heads, empty bodies, constants, repeated variables, shapes that recurse together
    not         NOT, also EXISTS and several atoms
    circles     a program of five has no layers, so that rules may negate in a circle
    data        DATA before patterns
    relations   relations beside triples
    expressions FILTER and BIND over small numbers, under NOT and in aggregates, too
    functions   calls of Python functions
    nodes       heads with blank nodes; rules of SPARQL-RL
    aggregates  AGGREGATE
    same        owl:sameAs between individuals, which are all IRIs

Without `wide` a program has layers: a rule negates and aggregates only relations that come before the one of its head.
So it has strata, unless there are circles. Every rule is safe, and every model is finite: the values that rules make
have bounds, and a head with a blank node is in a layer above its body.

Cost: 0.2 ms for a history of wide rules, 0.5 ms for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Literal, TypeAlias, get_args

from kgreason.rules.expressions import skolem_of
from kgreason.rules.model import DATA, Aggregate, Atom, Computed, Not, Rule, Term, Variable
from tests.histories.functions import LEAST, MOST
from tests.histories.history import Commit, History, Wish
from tests.histories.wide import CONSTANTS, instance, wide_rule
from tests.oracle.aggregates import number

Feature: TypeAlias = Literal[
    "wide", "not", "circles", "data", "relations", "expressions", "functions", "nodes", "aggregates", "same"
]
Relation: TypeAlias = tuple[str | None, str | int]
"""None and a predicate, or the name of a relation and its width."""

SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
NAMES = tuple(f"<http://e/{name}>" for name in "abdefg")
_INDIVIDUALS: tuple[str, ...] = (*NAMES[:2], "_:c", NAMES[2])
_PREDICATES: tuple[Relation, ...] = tuple((None, f"<http://e/{name}>") for name in "pqrst")
_RELATIONS: tuple[Relation, ...] = (("u", 1), ("w", 1), ("e", 2))
_VARIABLES = tuple(map(Variable, "xyz"))
_BOUNDS = (">=", str(LEAST), "&&")


def history(source: Random | int, *features: Feature, steps: int = 7) -> History:
    """Return so many commits, or of wide rules up to so many. `source` is a seed, or where random choices come from."""
    assert set(features) <= set(get_args(Feature))
    random = source if isinstance(source, Random) else Random(source)
    draw = Draw(random, features)
    rules = [draw.rule(number) for number in range(random.randint(4 if draw.has("wide") else 2, 8))]
    facts = [draw.fact(rules) for _ in range(random.randint(8, 20))]
    asserted: dict[Atom, int] = {}
    active: dict[Rule, int] = {}
    commits = [Commit(_wishes(random, facts, asserted, len(facts)), _wishes(random, rules, active, len(rules)))]
    for _ in range((random.randint(2, steps) if draw.has("wide") else steps) - 1):
        commits.append(Commit(_wishes(random, facts, asserted, 6), _wishes(random, rules, active, 3)))
    return tuple(commits)


def _wishes(random: Random, pool: Sequence[Wish], signs: dict[Wish, int], most: int) -> dict[Wish, int]:
    """Up to so many wishes, of a whole pool at least half; one in five is any, the others turn the last wish around."""
    least = len(pool) // 2 if most == len(pool) else 0
    some = random.sample(pool, random.randint(least, min(most, len(pool))))
    wishes = {wish: -signs.get(wish, -1) if random.random() < 0.8 else random.choice((1, -1)) for wish in some}
    signs |= wishes
    return wishes


class Draw:
    """Draws of rules and facts over a few individuals and relations."""

    def __init__(self, random: Random, features: Sequence[Feature]) -> None:
        self._random, self._features = random, frozenset(features)
        kinds = [*_PREDICATES, *(_RELATIONS if self.has("relations") else ())]
        self._is_of_values = self.has("expressions", "functions", "aggregates") and not self.has("same")
        self._relations = random.sample(kinds, random.randint(4 if self._is_of_values else 2, len(kinds)))
        self._patterns = [each for each in self._relations if each[0] is None] or [_PREDICATES[0]]
        self._is_layered = not self.has("circles") or random.random() < 0.8
        if self.has("wide"):
            self._constants: Sequence[str] = CONSTANTS[: random.choice((2, 3))]
        elif self.has("same"):
            self._constants = NAMES
        else:
            self._constants = _INDIVIDUALS[: random.randint(2, 4)]
        values = [number(value) for value in range(5 if self.has("functions") else 3)] if self._is_of_values else []
        self._objects = [*values, *values, *self._constants[: 1 if values else None]]

    def has(self, *features: Feature) -> bool:
        return not self._features.isdisjoint(features)

    def fact(self, rules: Sequence[Rule]) -> Atom:
        """A fact of an atom of the rules, or any."""
        random = self._random
        if self.has("same") and random.random() < 0.3:
            return Atom(None, (random.choice(self._constants), SAME, random.choice(self._constants)))
        atoms = [atom for rule in rules for atom in (*rule.body, *rule.heads)]
        if self.has("wide"):
            return instance(random, random.choice(atoms), self._constants)
        atoms += [atom for rule in rules for atom in (*rule.body, *rule.body, *_inside(rule), *_inside(rule))]
        if random.random() < (0.5 if self._is_of_values else 0.2):
            atom = self._atom(random.choice(self._relations[: 2 if self._is_of_values else None]), _VARIABLES)
        else:
            atom = random.choice(atoms)
        found = instance(random, atom, [*self._constants, *self._objects])
        if found.relation is not None:
            return found
        subject, predicate, object_ = found.terms
        if not isinstance(atom.terms[0], str):
            subject = random.choice(self._constants)
        if not isinstance(atom.terms[2], str):
            object_ = subject if atom.terms[0] == atom.terms[2] else random.choice(self._objects)
        return Atom(None, (subject, predicate, object_))

    def rule(self, place: int) -> Rule:
        random = self._random
        if self.has("wide"):
            return wide_rule(random)
        layer = random.randrange(1 if self._is_of_values else 0, len(self._relations))
        read = self._relations[: layer + 1] if self._is_layered else self._relations
        below = self._relations[:layer] if self._is_layered else self._relations
        aggregates: tuple[Aggregate, ...] = ()
        if below and self.has("aggregates"):
            aggregates = tuple(self._aggregate(below, name) for name in "mn"[: random.choice([0, 1, 1, 1, 2])])
        body: tuple[Atom, ...] = ()
        if not aggregates or random.random() < 0.4:
            atoms = random.choice([1, 1, 1, 2] if self._is_of_values else [1, 1, 2, 2, 3])
            body = tuple(self._read(read, _VARIABLES) for _ in range(atoms))
        bound = list(dict.fromkeys([*_variables(body), *(v for a in aggregates for v in (*a.group, a.result))]))
        computed = self._computed(bound)
        many = random.choice([0, 0, 1] if self._is_of_values else [0, 1, 1, 2]) if below else 0
        negated = tuple(self._not(below, bound) for _ in range(many))
        head = self._head(self._relations[layer], bound)
        rule = Rule((head,), body, f"r{place}", negated=negated, computed=tuple(computed), aggregates=aggregates)
        return self._with_node(rule, bound) if self.has("nodes") and self._is_layered else rule

    def _head(self, relation: Relation, bound: Sequence[Variable]) -> Atom:
        """An atom that has the last variables more often: they have values that the rule makes."""
        random = self._random
        pick: list[Term] = []
        for of in (bound[:2], bound[-2:]):
            is_constant = not of or random.random() < 0.2
            pick.append(random.choice(self._constants) if is_constant else random.choice(of))
        return self._of(relation, pick if relation[1] != 1 else [random.choice(pick)])

    def _with_node(self, rule: Rule, bound: Sequence[Variable]) -> Rule:
        """The rule, perhaps with a blank node in its head, and perhaps one of SPARQL-RL."""
        random, (head,), node = self._random, rule.heads, Variable("node")
        is_fed = any(_name(atom) == _name(head) for atom in rule.body)  # a new node would give another one
        rule = replace(rule, dialect="" if rule.aggregates else random.choice(["", "srl"]))
        if head.relation is not None or is_fed or random.random() < 0.4:
            return rule
        known: list[Term] = [*bound, *bound, *self._constants]
        terms = [random.choice(known) for _ in range(random.randint(0, 2))]
        subject, predicate, object_ = head.terms
        heads = (Atom(None, random.choice([(node, predicate, object_), (subject, predicate, node)])),)
        skolem = skolem_of((random.choice(['"one"', '"other"']), *terms), node)
        return replace(rule, heads=heads, computed=(*rule.computed, skolem))

    def _computed(self, bound: list[Variable], name: str = "v", *, calls: bool = True) -> list[Computed]:
        """Filters and assignments over these variables. A variable that is assigned joins them.

        Filters that do not read it come first: in the engine they guard the call of a function.
        """
        random, found, made = self._random, list[Computed](), Variable(name)
        calls = calls and self.has("functions")
        if not bound or not (calls or self.has("expressions")):
            return found
        one, other = random.choice(bound[-2:]), random.choice(bound[-2:])
        if random.random() < 0.2:
            found.append(self._test(one, other))
        if random.random() < 0.6:
            choices: list[tuple[Variable | str, ...]] = [(one, "+", "1"), (one, "+", other)]
            if calls:
                choices += [("grown", "(", one, ")"), ("spread", "(", one, ",", other, ")"), ("strict", "(", one, ")")]
            found += [Computed(random.choice(choices), made), Computed((made, *_BOUNDS, made, "<", str(MOST)))]
            bound.append(made)
            if calls and random.random() < 0.3:
                found.append(Computed(("is_small", "(", random.choice(bound), ")")))
            if random.random() < 0.3:
                found.append(self._test(made, random.choice(bound)))
        return found

    def _test(self, one: Variable, other: Variable) -> Computed:
        """A filter over two variables, or over the first."""
        tests: list[tuple[Variable | str, ...]] = [(one, "<", other), (other, "<", one)]
        return Computed(self._random.choice([*tests, ("ISBLANK", "(", one, ")"), ("!", "ISIRI", "(", one, ")")]))

    def _not(self, relations: Sequence[Relation], bound: Sequence[Variable]) -> Not:
        """A NOT: over one atom, over atoms with a variable of their own, with a filter, or over a filter alone."""
        random, own = self._random, Variable("own")
        with_filter = self.has("expressions") and bound and random.random() < 0.5
        if with_filter and random.random() < 0.2:
            return Not((), (), (Computed((random.choice(bound), "<", random.choice(bound))),))
        if random.random() < (0.8 if with_filter else 0.3):
            atoms = tuple(self._read(relations, (*bound, own, own)) for _ in range(random.choice([1, 1, 2])))
            if any(own in atom.terms for atom in atoms):
                return Not(atoms, (own,), (self._test(own, random.choice(bound)),) if with_filter else ())
        return Not((self._read(relations, bound, 0.2 if bound else 1),))

    def _aggregate(self, below: Sequence[Relation], name: str) -> Aggregate:
        random, is_grouped = self._random, self._random.random() < 0.8
        x, y, z = Variable("x" if is_grouped else f"x{name}"), Variable(f"y{name}"), Variable(f"z{name}")
        shapes: list[tuple[Term, Term]] = [(x, y), (x, y), (y, x), (x, x), (self._constants[0], y)]
        atoms = [self._of(random.choice(below), random.choice(shapes))]
        if random.random() < 0.3:
            atoms.append(self._of(random.choice(below), random.choice([(x, z), (y, z), (z, y)])))
        found = _variables(atoms)
        if not found:
            atoms, found = [self._of(below[0], (x, x))], [x]
        computed = self._computed(found, f"w{name}", calls=False) if random.random() < 0.5 else []
        calls = ["COUNT", "COUNT", "SUM"] + ([] if self.has("same") else ["MIN", "MAX", "SAMPLE", "GROUP_CONCAT"])
        function = random.choice(calls)
        argument = None if function == "COUNT" and random.random() < 0.3 else random.choice(found)
        return Aggregate(
            tuple(atoms),
            tuple(computed),
            (x,) if x in found and is_grouped else (),
            function,
            argument,
            Variable(name),
            is_distinct=argument is not None and random.random() < 0.4,
            separator=" " if function == "GROUP_CONCAT" else None,
        )

    def _read(self, relations: Sequence[Relation], variables: Sequence[Variable], constants: float = 0.1) -> Atom:
        """An atom of a body. DATA may have any predicate: asserted triples are in no layer."""
        if self.has("data") and self._random.random() < 0.4:
            return self._atom(self._random.choice(self._patterns), variables, constants)._replace(relation=DATA)
        return self._atom(self._random.choice(relations), variables, constants)

    def _atom(self, relation: Relation, variables: Sequence[Variable], constants: float = 0) -> Atom:
        random = self._random
        pick: list[Term] = []
        for of in (variables[: len(variables) // 2 + 1], variables[len(variables) // 3 :]):
            pick.append(random.choice(self._constants) if random.random() < constants else random.choice(of))
        return self._of(relation, pick)

    @staticmethod
    def _of(relation: Relation, terms: Sequence[Term]) -> Atom:
        """The atom of a relation that has the first of these terms that it has room for."""
        name, width = relation
        if name is None:
            return Atom(None, (terms[0], str(width), terms[1]))
        return Atom(name, tuple(terms[: int(width)]))


def _variables(atoms: Sequence[Atom]) -> list[Variable]:
    return list(dict.fromkeys(term for atom in atoms for term in atom.terms if isinstance(term, Variable)))


def _inside(rule: Rule) -> list[Atom]:
    """The atoms under NOT and in aggregates."""
    parts = [each.atoms for each in rule.negated] + [each.atoms for each in rule.aggregates]
    return [atom for atoms in parts for atom in atoms]


def _name(atom: Atom) -> object:
    """The relation of an atom, or its predicate."""
    return atom.terms[1] if atom.relation in (None, DATA) else atom.relation
