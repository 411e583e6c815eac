"""Misreadings of when a Python function is called; each fails a test that the right reading passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from kgreason.errors import RuleError
from kgreason.materialize.edit import Facts
from kgreason.materialize.expressions.calls import CallOutcome
from kgreason.materialize.operators.functions import Functions
from kgreason.rules import lowering
from kgreason.rules.model import Atom, Computed, Rule
from kgreason.zset.columns import Int32

from . import test_rules as tests

_RIGHT = Functions._call_results


def _as_sparql(rule: Rule, call: Computed) -> tuple[Atom, ...]:
    """A call is asked for as soon as its inputs are bound, as an expression of SPARQL is."""
    return lowering._asking_body(rule, rule.body, call.inputs())


def _at_once(self: Functions, operator: Any, keys: Int32, check: Callable[[], object]) -> CallOutcome:
    """An error ends the commit at once, even if the rule does not ask at the end of the commit."""
    found = _RIGHT(self, operator, keys, check)
    for failure in found.failures:
        raise RuleError(f"rule {operator.rule}: {failure.error}") from failure.error.__cause__
    return found


def _again(self: Functions, operator: Any, keys: Int32, check: Callable[[], object]) -> Iterator[Facts]:
    """A function is called again whenever a rule asks."""
    yield from self._fresh_rows(operator.made, self._call_results(operator, keys, check).made)


MISREADINGS: dict[str, tuple[object, str, object, Callable[[], None]]] = {
    "a call is guarded by less": (
        lowering,
        "_askable_atoms",
        _as_sparql,
        tests.test_the_calls_do_not_depend_on_the_order_of_the_rule,
    ),
    "errors in the middle count": (
        Functions,
        "_call_results",
        _at_once,
        partial(
            tests.test_a_call_may_fail_in_the_middle_of_a_commit_if_the_rule_does_not_ask_at_its_end, strategy="update"
        ),
    ),
    "no error counts": (
        Functions,
        "finish",
        lambda _: None,
        tests.test_an_error_of_a_function_rolls_the_commit_back,
    ),
    "calls are repeated": (Functions, "_facts", _again, tests.test_a_function_is_called_once_for_each_input),
}


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_misreading_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, wrong, test = MISREADINGS[name]
    test()
    monkeypatch.setattr(owner, attribute, wrong)
    with pytest.raises((AssertionError, RuleError, pytest.fail.Exception)):
        test()
