"""Rules run backwards: the derivations of each present fact are those of the oracle, whatever the fact's history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings

from kgreason.engine import scratch
from kgreason.engine.memory import layout as at
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System
from tests.histories.history import History
from tests.oracle.datalog import Fact, Index, derivations, rule_set
from tests.strategies.programs import histories
from tests.volume import many

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
Body = frozenset[Fact]


def of_engine(system: System) -> dict[Fact, Counter[Body]]:
    """For each present fact how often each set of facts derives it."""
    facts = system.engine.facts
    found: dict[Fact, Counter[Body]] = {}
    for row in facts.present_rows().tolist():
        bodies: Counter[Body] = Counter()
        for code, slots in system.engine.derivations(row):
            known = (*slots[: 1 + code.shape.variables], *code.constants)
            bodies[frozenset(system.fact([known[slot] for slot in p.slots]) for p in code.shape.body)] += 1
        if bodies:
            found[system.fact(system.engine._circuit.memory["rows"][row, 3:].tolist())] = bodies
    return found


def of_oracle(facts: Iterable[Fact], rules: Iterable[Rule]) -> dict[Fact, Counter[Body]]:
    """The same by definition; a rule without a body has no backward plan, and derives what is always there."""
    found: dict[Fact, Counter[Body]] = {}
    for derivation in derivations(Index(facts), rule_set(rules)):
        for head in derivation.heads if derivation.rule.body else ():
            found.setdefault(head, Counter())[derivation.body] += 1
    return found


@settings(max_examples=many(20))
@given(histories())
def test_derivations_are_those_of_the_oracle(history: History) -> None:
    system = System()
    active: dict[Rule, None] = {}
    for commit in history:
        system.commit(*commit, strategy="update")
        active = {rule: None for rule in active | commit.rules if commit.rules.get(rule, 1) > 0}
        assert of_engine(system) == of_oracle(system.states(), active)


def test_asking_changes_nothing() -> None:
    system = System()
    edges = [Atom("edge", (f"<{n}>", f"<{n + 1}>")) for n in range(6)]
    rules = [
        Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),)),
        Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("path", (Y, Z)))),
    ]
    system.update(edges, rules)
    before = system.states()
    assert of_engine(system) == of_oracle(before, rules)
    assert system.states() == before
    system.commit({edges[2]: -1}, {}, "update")
    assert of_engine(system) == of_oracle(system.states(), rules)


def test_more_derivations_than_the_buffer_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "HEADS", 8)
    monkeypatch.setattr(scratch, "_SCRATCH", scratch._SCRATCH | {"ranks": 8, "tables": 8})
    system = System()
    edges = [Atom("edge", ("<a>", f"<{n}>")) for n in range(50)] + [Atom("edge", (f"<{n}>", "<b>")) for n in range(50)]
    system.update(edges, [Rule((Atom("two", (X, Z)),), (Atom("edge", (X, Y)), Atom("edge", (Y, Z))))])
    rows = system.engine.facts.present_rows()
    records = system.engine._circuit.memory["rows"]
    [row] = [r for r in rows.tolist() if system.fact(records[r, 3:].tolist()) == ("two", ("<a>", "<b>"))]
    assert records[row, at.STATE] >> at.TABLE & at.LAST_TABLE >= 0
    assert len(system.engine.derivations(row)) == 50
    assert 10 <= len(system.engine.derivations(row, limit=10)) < 30
