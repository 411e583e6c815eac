"""The dense histories hold what they promise: a seed is a history, and much happens."""

from __future__ import annotations

from tests.oracle.scratch import Scratch
from tests.strategies.dense import dense_history


def test_a_seed_always_gives_the_same_history() -> None:
    assert dense_history(7) == dense_history(7) != dense_history(8)


def test_most_commits_derive_and_most_wishes_change_something() -> None:
    wishes = changed = derived = commits = 0
    for seed in range(100):
        scratch = Scratch()
        for commit in dense_history(seed).commits:
            changes = scratch.commit(*commit)
            wishes += len(commit.facts)
            changed += sum((fact.relation, fact.terms) in changes for fact in commit.facts)
            derived += any(not state.asserted for state in scratch.states.values())
            commits += 1
    assert changed > wishes / 2
    assert derived > commits / 2
