"""Change without change: every commit evaluated from scratch, and what a model of change must keep beside it.

    facts, flags and delta    those of evaluation from scratch
    stamp and support         the invariants of a commit (docs/architecture/commit.md) (`violations`)
    push, then retract        restores states and rules exactly

`Scratch` has the face of `change.Model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from tests.oracle.change import Kinds, Model, Wishes, difference, kind, wished
from tests.oracle.datalog import Fact, Rule, State, convert, materialize, plain, violations

Commit: TypeAlias = tuple[Wishes, Wishes]
Commits: TypeAlias = Sequence[Commit]


class Scratch:
    """What is asserted and active, and the least model of it."""

    def __init__(self) -> None:
        self.states: dict[Fact, State] = {}
        self._facts: dict[Fact, bool] = {}
        self._rules: dict[Rule, bool] = {}

    @property
    def rules(self) -> list[Rule]:
        """The active rules."""
        return [rule for rule, is_active in self._rules.items() if is_active]

    def commit(self, facts: Wishes, rules: Wishes) -> Kinds:
        """Assert (+1) and retract (-1) facts, add and remove rules; what changed."""
        before = self.states
        self._facts |= wished(plain, facts)
        self._rules |= wished(convert, rules)
        self.states = materialize((fact for fact, wish in self._facts.items() if wish), self.rules)
        return difference(before, self.states)


def kinds(states: Mapping[Fact, State]) -> dict[Fact, int]:
    """What is present, and whether it is asserted."""
    return {fact: kind(state) for fact, state in states.items()}


def additions(known: Model | Scratch, commit: Commit) -> Commit:
    """The wishes for what is neither asserted nor active."""
    facts, rules = commit
    asserted = {fact for fact, state in known.states.items() if state.asserted}
    return (
        {fact: sign for fact, sign in facts.items() if sign > 0 and plain(fact) not in asserted},
        {rule: sign for rule, sign in rules.items() if sign > 0 and convert(rule) not in known.rules},
    )


def taken_back(commit: Commit) -> Commit:
    """The commit that retracts what this one asserted, and removes what it added."""
    facts, rules = commit
    return dict.fromkeys(facts, -1), dict.fromkeys(rules, -1)


def flaws(reading: Callable[[], Model], commits: Commits) -> Iterator[str]:
    """What a reading of the commit does not keep in this history."""
    yield from _disagreements(reading(), commits)
    yield from _not_restored(reading(), commits)


def _disagreements(model: Model, commits: Commits) -> Iterator[str]:
    scratch = Scratch()
    for number, commit in enumerate(commits):
        expected = scratch.commit(*commit)
        if model.commit(*commit) != expected:
            yield f"commit {number}: the delta"
        if kinds(model.states) != kinds(scratch.states):
            yield f"commit {number}: the facts"
        yield from (f"commit {number}: {violation}" for violation in violations(model.states, scratch.rules))


def _not_restored(model: Model, commits: Commits) -> Iterator[str]:
    for number, commit in enumerate(commits):
        states, rules = dict(model.states), set(model.rules)
        push = additions(model, commit)
        model.commit(*push)
        model.commit(*taken_back(push))
        if (model.states, set(model.rules)) != (states, rules):
            yield f"commit {number}: pushed, then retracted"
        model.commit(*commit)
