"""Random histories of facts and of rules that filter, compute and negate, against the model by definition."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from kgreason.engine.changes import Strategy
from kgreason.rules.expressions import skolem_of
from kgreason.rules.model import DATA, Atom, Computed, Not, Rule, Variable
from tests.circuit.following import KINDS
from tests.negation.following import follow
from tests.oracle.stratified import Functions
from tests.strategies.negation import Commit, Triple
from tests.volume import many_seeds

_INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
_PREDICATES = tuple(f"<http://e/{name}>" for name in "pqrst")
_SUBJECTS = ("<http://e/a>", "<http://e/b>", "_:c")
_LEAST, _MOST = -2, 6
STRATEGIES: tuple[Strategy, ...] = ("update", "bootstrap", "auto")


def number(value: int) -> str:
    return f'"{value}"^^{_INTEGER}'


def _value(term: str) -> int | None:
    return int(term.split('"')[1]) if term.endswith(_INTEGER) else None


def _plus(term: str) -> str | None:
    value = _value(term)
    return None if value is None else number(value + 1)


def _sum(one: str, other: str) -> str | None:
    left, right = _value(one), _value(other)
    return None if left is None or right is None else number(left + right)


def _bounded(term: str) -> bool | None:
    value = _value(term)
    return None if value is None else _LEAST <= value < _MOST


def _less(one: str, other: str) -> bool | None:
    left, right = _value(one), _value(other)
    return None if left is None or right is None else left < right


FUNCTIONS: Functions = {
    "_ + 1": _plus,
    "_ + _": _sum,
    f"_ >= {_LEAST} && _ < {_MOST}": lambda term, _: _bounded(term),
    "_ < _": _less,
    "ISBLANK ( _ )": lambda term: term.startswith("_:"),
    "! ISIRI ( _ )": lambda term: not term.startswith("<"),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_gives_the_model(strategy: Strategy) -> None:
    for seed in range(25):
        run(seed, strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_of_many_histories_gives_the_model(strategy: Strategy) -> None:
    for seed in many_seeds(25, 65):
        run(seed, strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_with_blank_nodes_gives_the_model(strategy: Strategy) -> None:
    for seed in range(25):
        run(seed, strategy, makes_nodes=True)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_of_many_histories_with_blank_nodes_gives_the_model(strategy: Strategy) -> None:
    for seed in many_seeds(25, 40):
        run(seed, strategy, makes_nodes=True)


def test_every_commit_with_filters_under_not_gives_the_model() -> None:
    for seed in range(30):
        run(seed, "update", filters=True)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_of_many_histories_with_filters_under_not_gives_the_model(strategy: Strategy) -> None:
    for seed in many_seeds(30, 55):
        run(seed, strategy, filters=True)


def run(seed: int, strategy: Strategy, *, makes_nodes: bool = False, filters: bool = False) -> None:
    """Follow a random history, with the specification circuit beside one of the strategies."""
    circuit = KINDS[seed % 3] if strategy == "update" else None
    commits = history(seed, makes_nodes=makes_nodes, filters=filters)
    follow(commits, strategy, f"history {seed}", FUNCTIONS, circuit=circuit)


def history(seed: int, steps: int = 7, *, makes_nodes: bool = False, filters: bool = False) -> list[Commit]:
    """Triples with small numbers as objects; rules in layers that add numbers up to a bound, compare and negate.

    With `makes_nodes`, rules also make blank nodes, read asserted triples, and are rules of SPARQL-RL or not. With
    `filters`, there are filters under NOT.
    """
    random = Random(seed)
    pool = [_rule(random, number) for number in range(random.randint(2, 8))]
    pool = [_with_nodes(random, rule) for rule in pool] if makes_nodes else pool
    pool = [_with_filters(random, rule) for rule in pool] if filters else pool
    commits, rules = [], set[int]()
    for _ in range(steps):
        rules = {place for place in range(len(pool)) if random.random() < (0.75 if place in rules else 0.5)}
        added = frozenset(_triple(random) for _ in range(random.choice([0, 1, 2, 4])))
        removed = frozenset(_triple(random) for _ in range(random.choice([0, 1, 6]))) - added
        commits.append(Commit(added, removed, tuple(pool[place] for place in sorted(rules))))
    return commits


def _with_nodes(random: Random, rule: Rule) -> Rule:
    """The rule, perhaps with a blank node as its subject or object, with DATA and with a dialect."""
    body = tuple(
        atom._replace(relation=DATA, terms=(atom.terms[0], random.choice(_PREDICATES[:2]), atom.terms[2]))
        if random.random() < 0.3
        else atom
        for atom in rule.body
    )
    rule = replace(rule, body=body, dialect=random.choice(["", "srl"]))
    (head,) = rule.heads
    if random.random() < 0.5 or any(atom.terms[1] == head.terms[1] for atom in body):  # or it would go on without end
        return rule
    bound = sorted({term for atom in body for term in atom.terms if isinstance(term, Variable)})
    given = random.sample(bound, random.randint(0, min(2, len(bound))))
    label, node = random.choice(['"one"', '"other"']), Variable("node")
    subject, predicate, object_ = head.terms
    terms = random.choice([(node, predicate, object_), (subject, predicate, node)])
    return replace(rule, heads=(Atom(None, terms),), computed=(*rule.computed, skolem_of((label, *given), node)))


def _with_filters(random: Random, rule: Rule) -> Rule:
    """The rule, with filters under NOT: of values that the atoms there give, of values of the rule, or of both."""
    below = _PREDICATES[: _PREDICATES.index(str(rule.heads[0].terms[1]))]
    bound = sorted(term for term in rule.bound() if isinstance(term, Variable))
    one, other, local = random.choice(bound), random.choice(bound), Variable("n")
    atom = Atom(None, (random.choice([one, local]), random.choice(below), local))
    found = [
        Not((atom,), (local,), (Computed((local, "<", other)),)),
        Not((atom,), (local,), (Computed((one, "<", other)), Computed(("!", "ISIRI", "(", local, ")")))),
        Not((), (), (Computed((one, "<", other)),)),
    ]
    return replace(rule, negated=(*rule.negated, random.choice(found)))


def _triple(random: Random) -> Triple:
    object_ = random.choice([*map(number, range(3)), _SUBJECTS[0]])
    return random.choice(_SUBJECTS), random.choice(_PREDICATES[:2]), object_


def _rule(random: Random, place: int) -> Rule:
    x, y, z, w = map(Variable, "xyzw")
    layer = random.randrange(1, len(_PREDICATES))
    body = [Atom(None, (x, random.choice(_PREDICATES[: layer + 1]), y))]
    if random.random() < 0.4:
        body.append(Atom(None, (random.choice([x, w]), random.choice(_PREDICATES[: layer + 1]), z)))
    bound = list(dict.fromkeys(term for atom in body for term in atom.terms if isinstance(term, Variable)))
    computed, made = [], random.choice([y, *bound])
    if random.random() < 0.6:
        one, other = random.choice(bound), random.choice(bound)
        made = Variable("v")
        computed.append(Computed(random.choice([(one, "+", "1"), (one, "+", other)]), made))
        computed.append(Computed((made, ">=", str(_LEAST), "&&", made, "<", str(_MOST))))
        bound.append(made)
    for _ in range(random.choice([0, 1, 1])):
        one, other = random.choice(bound), random.choice(bound)
        tests = [(one, "<", other), ("ISBLANK", "(", one, ")"), ("!", "ISIRI", "(", one, ")")]
        computed.append(Computed(random.choice(tests)))
    negated = [_negated(random, bound, layer)]
    head = Atom(None, (x, _PREDICATES[layer], made))
    return Rule(
        (head,), tuple(body), f"r{place}", negated=tuple(negated[: random.choice([0, 0, 1])]), computed=tuple(computed)
    )


def _negated(random: Random, bound: list[Variable], layer: int) -> Not:
    """A NOT over lower layers, half of them with a filter: over a variable of its own, or over no triples at all."""
    one, other, own = random.choice(bound), random.choice(bound), Variable("own")
    predicate = random.choice(_PREDICATES[:layer])
    if random.random() < 0.5:
        return Not((Atom(None, (one, predicate, other)),))
    if random.random() < 0.3:
        return Not((), (), (Computed((one, "<", other)),))
    tests: list[tuple[Variable | str, ...]] = [(own, "<", other), ("ISBLANK", "(", own, ")"), (other, "<", own)]
    return Not((Atom(None, (one, predicate, own)),), (own,), (Computed(random.choice(tests)),))


def test_results_that_rules_share_do_not_ask_for_each_other_without_an_end() -> None:
    run(238, "update")
