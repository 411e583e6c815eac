"""Random histories of triples and of rules that aggregate, filter, compute and negate.

Predicates are layers: a rule aggregates and negates only predicates below the one of its head. So every history has
strata, and up to five of them. Groups are few and small, so that they appear, change and vanish.
"""

from __future__ import annotations

from random import Random

from kgreason.rules.model import Aggregate, Atom, Computed, Not, Rule, Term, Variable
from tests.oracle.aggregates import integer, number
from tests.oracle.stratified import Functions
from tests.strategies.negation import Commit, Triple

_PREDICATES = tuple(f"<http://e/{name}>" for name in "pqrstu")
_SUBJECTS = ("<http://e/a>", "<http://e/b>", "_:c")
_CALLS = ("COUNT", "COUNT", "SUM", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
_MOST = 40


def _plus(term: str) -> str | None:
    value = integer(term)
    return None if value is None else number(value + 1)


def _small(term: str) -> bool | None:
    value = integer(term)
    return None if value is None else value < _MOST


def _less(one: str, other: str) -> bool | None:
    left, right = integer(one), integer(other)
    return None if left is None or right is None else left < right


FUNCTIONS: Functions = {"_ + 1": _plus, f"_ < {_MOST}": _small, "_ < _": _less}


def history(seed: int, steps: int = 7) -> list[Commit]:
    """Commits of triples with small numbers as objects, and of rules from a pool."""
    random = Random(seed)
    pool = [_rule(random, place) for place in range(random.randint(2, 8))]
    commits, rules = [], set[int]()
    for _ in range(steps):
        rules = {place for place in range(len(pool)) if random.random() < (0.75 if place in rules else 0.5)}
        added = frozenset(_triple(random) for _ in range(random.choice([0, 1, 2, 5])))
        removed = frozenset(_triple(random) for _ in range(random.choice([0, 1, 6]))) - added
        commits.append(Commit(added, removed, tuple(pool[place] for place in sorted(rules))))
    return commits


def _triple(random: Random) -> Triple:
    object_ = random.choice([*map(number, range(3)), *_SUBJECTS[:2]])
    return random.choice(_SUBJECTS), random.choice(_PREDICATES[:2]), object_


def _rule(random: Random, place: int) -> Rule:
    layer = random.randrange(1, len(_PREDICATES))
    below = _PREDICATES[:layer]
    x, y = Variable("x"), Variable("y")
    aggregates = tuple(_aggregate(random, below, name) for name in "mn"[: random.choice([0, 1, 1, 1, 2])])
    body: list[Atom] = []
    if not aggregates or random.random() < 0.4:
        body.append(Atom(None, (random.choice([x, x, y]), random.choice(_PREDICATES[: layer + 1]), y)))
    bound: list[Term] = list(dict.fromkeys(term for atom in body for term in atom.terms if isinstance(term, Variable)))
    for aggregate in aggregates:
        bound += [each for each in (*aggregate.group, aggregate.result) if each not in bound]
    computed: list[Computed] = []
    if random.random() < 0.3:
        made = Variable("v")
        computed += [Computed((_variable(random, bound), "+", "1"), made), Computed((made, "<", str(_MOST)))]
        bound.append(made)
    if random.random() < 0.2:
        computed.append(Computed((_variable(random, bound), "<", _variable(random, bound))))
    negated: tuple[Not, ...] = ()
    if random.random() < 0.2:
        negated = (Not((Atom(None, (random.choice(bound), random.choice(below), random.choice(bound))),)),)
    subject = random.choice([random.choice(bound), _SUBJECTS[0]])
    head = Atom(None, (subject, _PREDICATES[layer], random.choice(bound[-2:])))
    return Rule((head,), tuple(body), f"r{place}", negated=negated, computed=tuple(computed), aggregates=aggregates)


def _variable(random: Random, bound: list[Term]) -> Variable:
    return random.choice([term for term in bound if isinstance(term, Variable)])


def _aggregate(random: Random, below: tuple[str, ...], name: str) -> Aggregate:
    is_grouped = random.random() < 0.8
    x, y, z = Variable("x" if is_grouped else f"x{name}"), Variable(f"y{name}"), Variable(f"z{name}")
    shapes: list[tuple[Term, Term]] = [(x, y), (x, y), (y, x), (x, x), (_SUBJECTS[0], y)]
    first = random.choice(shapes)
    atoms = [Atom(None, (first[0], random.choice(below), first[1]))]
    if random.random() < 0.5:
        second = random.choice([(x, z), (y, z), (z, y)])
        atoms.append(Atom(None, (second[0], random.choice(below), second[1])))
    found = list(dict.fromkeys(term for atom in atoms for term in atom.terms if isinstance(term, Variable)))
    computed: tuple[Computed, ...] = ()
    if random.random() < 0.3:
        made = Variable(f"w{name}")
        computed = (Computed((random.choice(found), "+", "1"), made), Computed((made, "<", str(_MOST))))
        found.append(made)
    function = random.choice(_CALLS)
    argument = None if function == "COUNT" and random.random() < 0.3 else random.choice(found)
    group = (x,) if x in found and is_grouped else ()
    return Aggregate(
        tuple(atoms),
        computed,
        group,
        function,
        argument,
        Variable(name),
        is_distinct=argument is not None and random.random() < 0.4,
        separator=" " if function == "GROUP_CONCAT" else None,
    )
