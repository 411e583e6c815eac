"""Random histories of facts and of rules that call Python functions, against the model by definition."""

from __future__ import annotations

from random import Random

import pytest

from kgreason.engine.changes import Strategy
from kgreason.functions.registry import Registry
from kgreason.rules.model import Atom, Computed, Not, Rule, Variable
from tests.circuit.following import KINDS
from tests.expressions.test_histories import FUNCTIONS, STRATEGIES, number
from tests.negation.following import follow
from tests.oracle.stratified import Functions
from tests.strategies.negation import Commit, Triple
from tests.volume import many_seeds

_PREDICATES = tuple(f"<http://e/{name}>" for name in "pqrst")
_SUBJECTS = ("<http://e/a>", "<http://e/b>", "_:c")
_MOST = 5


def grown(x: int) -> int | None:
    """One result, or none."""
    return x + 1 if x < _MOST else None


def spread(x: int, by: int) -> list[int]:
    """Many results."""
    return [each for each in (x - by, x + by) if -2 <= each <= _MOST]


def is_small(x: int) -> bool:
    """A filter."""
    return x < 2


def strict(x: int) -> int:
    """A function that raises."""
    if x > 3:
        raise ValueError(x)
    return x + 2


def _value(term: str) -> int | None:
    return int(term.split('"')[1]) if term.startswith('"') else None


def _one(function: object) -> object:
    def by_text(*terms: str) -> object:
        values = [_value(term) for term in terms]
        if None in values:
            return None
        result = function(*values)  # type: ignore[operator]
        if isinstance(result, list):
            return [number(each) for each in result]
        return result if isinstance(result, bool) or result is None else number(result)

    return by_text


BY_TEXT: Functions = {
    **FUNCTIONS,
    "grown ( _ )": _one(grown),  # type: ignore[dict-item]
    "spread ( _ , _ )": _one(spread),  # type: ignore[dict-item]
    "is_small ( _ )": _one(is_small),  # type: ignore[dict-item]
    "strict ( _ )": _one(strict),  # type: ignore[dict-item]
}


def check(seeds: range, strategy: Strategy) -> None:
    for seed in seeds:
        registry = Registry([grown, spread, is_small, strict])
        circuit = KINDS[seed % 3] if strategy == "update" else None
        follow(history(seed), strategy, f"history {seed}", BY_TEXT, registry, circuit)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_gives_the_model(strategy: Strategy) -> None:
    check(range(25), strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_of_many_histories_gives_the_model(strategy: Strategy) -> None:
    check(many_seeds(25, 65), strategy)


def history(seed: int, steps: int = 7) -> list[Commit]:
    """Triples with small numbers as objects; rules in layers that call a function, compare and negate."""
    random = Random(seed)
    pool = [_rule(random, number) for number in range(random.randint(2, 7))]
    commits, rules = [], set[int]()
    for _ in range(steps):
        rules = {place for place in range(len(pool)) if random.random() < (0.75 if place in rules else 0.5)}
        added = frozenset(_triple(random) for _ in range(random.choice([0, 1, 2, 4])))
        removed = frozenset(_triple(random) for _ in range(random.choice([0, 1, 6]))) - added
        commits.append(Commit(added, removed, tuple(pool[place] for place in sorted(rules))))
    return commits


def _triple(random: Random) -> Triple:
    object_ = random.choice([*map(number, range(4)), _SUBJECTS[0]])
    return random.choice(_SUBJECTS), random.choice(_PREDICATES[:2]), object_


def _rule(random: Random, place: int) -> Rule:
    x, y, z, w = map(Variable, "xyzw")
    layer = random.randrange(1, len(_PREDICATES))
    body = [Atom(None, (x, random.choice(_PREDICATES[: layer + 1]), y))]
    if random.random() < 0.4:
        body.append(Atom(None, (random.choice([x, w]), random.choice(_PREDICATES[: layer + 1]), z)))
    bound = list(dict.fromkeys(term for atom in body for term in atom.terms if isinstance(term, Variable)))
    computed, made = [], random.choice([y, *bound])
    if random.random() < 0.4:  # an expression of SPARQL comes before the call, as it guards the call
        computed.append(Computed((random.choice(bound), "<", random.choice(bound))))
    one, other, v = random.choice([y, *bound]), random.choice(bound), Variable("v")
    calls = [
        Computed(("grown", "(", one, ")"), v),
        Computed(("spread", "(", one, ",", other, ")"), v),
        Computed(("strict", "(", one, ")"), v),
        Computed(("is_small", "(", one, ")")),
    ]
    call = random.choice(calls)
    computed.append(call)
    if call.result:
        made = v
        bound.append(v)
        if call is calls[2]:  # strict() is bounded by its error alone
            computed.append(Computed((v, ">=", "-2", "&&", v, "<", "6")))
        if random.random() < 0.3:
            computed.append(Computed(random.choice([(v, "<", y), ("!", "ISIRI", "(", v, ")")])))
    negated = [Not((Atom(None, (random.choice(bound), random.choice(_PREDICATES[:layer]), random.choice(bound))),))]
    head = Atom(None, (x, _PREDICATES[layer], made))
    return Rule(
        (head,), tuple(body), f"r{place}", negated=tuple(negated[: random.choice([0, 0, 1])]), computed=tuple(computed)
    )
