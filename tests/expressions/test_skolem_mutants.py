"""Every misreading of SKOLEM fails on a small history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pytest

from kgreason.engine.changes import Changes
from kgreason.materialize.operators import operators
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.skolems import Skolems, _Operator
from kgreason.materialize.operators.tables import FactIndex, Table
from kgreason.rules.lowering import Expression
from kgreason.rules.model import Computed, Rule
from kgreason.zset.columns import Int32
from tests.expressions import test_skolem as told


class NamesOnly(Individuals):
    """Each name has a blank node of its own."""

    def first_names(self, ids: Int32, changes: Changes) -> Int32:
        return ids


class NewNamesNotLookedAt(Skolems):
    """A result stays when a term becomes equal to another one."""

    def _keys_with_terms(self, operator: _Operator, table: Table, moved: Int32) -> Int32:
        return super()._keys_with_terms(operator, table, moved[:0])


class OldResultsStay(Skolems):
    """A result for other names stays beside the new one."""

    def _keys_with_terms(self, operator: _Operator, table: Table, moved: Int32) -> Int32:
        return super()._keys_with_terms(operator, table, moved if table is operator.asks else moved[:0])


class LostResultsNotLookedAt(Skolems):
    """A result that was retracted in this commit is not asserted again when rules ask for it again."""

    def _changed_keys(self, operator: _Operator, changes: Changes) -> Int32:
        return operator.asks.matching_keys(FactIndex(changes.rows, changes.tables))


class ForgetsWhatRulesLeave(Skolems):
    """The results for rules that are removed stay."""

    def follow(self, levels: Mapping[Expression, int], rules: Iterable[Rule]) -> None:
        super().follow(levels, rules)
        self._leaving = ()


class ConstantsAreNames(Skolems):
    """A constant argument stands for its name, not for an individual."""

    def _expression(self, operator: _Operator, changes: Changes) -> Computed:
        return operator.function.computed


MISREADINGS: tuple[tuple[type[Individuals | Skolems], Callable[[], None]], ...] = (
    (NamesOnly, lambda: told.test_equal_terms_have_one_blank_node("aliases")),
    (NewNamesNotLookedAt, lambda: told.test_equal_terms_have_one_blank_node("aliases")),
    (OldResultsStay, lambda: told.test_equal_terms_have_one_blank_node("rules")),
    (LostResultsNotLookedAt, told.test_a_blank_node_that_is_lost_and_found_in_one_commit),
    (ForgetsWhatRulesLeave, told.test_a_rule_that_comes_back_finds_nothing_old),
    (ConstantsAreNames, told.test_names_of_constants_count_too),
)


@pytest.mark.parametrize(("misreading", "history"), MISREADINGS)
def test_a_misreading_does_not_follow(
    misreading: type[Individuals | Skolems], history: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    history()
    name = "Skolems" if issubclass(misreading, Skolems) else "Individuals"
    monkeypatch.setattr(operators, name, misreading)
    with pytest.raises(AssertionError):
        history()
