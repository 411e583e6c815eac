"""Every misreading of an operator for NOT, AGGREGATE, FILTER and BIND fails on the small history kept for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

import pytest

from kgreason.circuit import figures, functions, grounding, incremental, reference, zset
from kgreason.circuit import strata as strata_module
from kgreason.circuit.functions import Functions
from kgreason.circuit.grounding import Match, Rewrite
from kgreason.circuit.kit import Query
from kgreason.circuit.operators import impulse, integrate, lift, lift2, plus
from kgreason.circuit.rewriting import Substitution
from kgreason.circuit.stream import Circuit, Stream
from kgreason.circuit.zset import A, B, C, ZSet
from kgreason.errors import StratificationError
from kgreason.rules.model import Computed, Rule
from tests.circuit.following import KINDS, follow_alone
from tests.histories.functions import FUNCTIONS
from tests.histories.history import History, in_words

Patch = Callable[[pytest.MonkeyPatch], None]


ALONE = "s(?x) :- [?x, :d, ?x], NOT EXISTS ?y IN ([?x, :p, ?y]) ."
SMALLEST = "s(?x, ?y) :- [?x, :d, ?y], NOT EXISTS ?z IN ([?x, :p, ?z], FILTER(?z < ?y)) ."
ABOVE = ALONE + "t(?x) :- [?x, :d, ?x], NOT s(?x) ."
GROWING = "[?x, :q, ?y] :- [?x, :p, ?y] . n(?n) :- AGGREGATE([?x, :q, ?y] BIND COUNT(*) AS ?n) ."
COUNT = "n(?x, ?n) :- AGGREGATE([?x, :p, ?y] ON ?x BIND COUNT(*) AS ?n) ."
EACH = "n(?n) :- AGGREGATE([?x, :p, ?y] BIND SUM(?y) AS ?n) ."
DISTINCT = "n(?n) :- AGGREGATE([?x, :p, ?y] BIND COUNT(DISTINCT ?y) AS ?n) ."
LESS = "n(?x) :- [?x, :p, ?y], FILTER(?y < ?x) ."
CIRCLE = "p(?x) :- [?x, :d, ?x], NOT q(?x) . q(?x) :- p(?x) ."


def every_match_excludes_once(patch: pytest.MonkeyPatch) -> None:
    """Antijoin without distinct: two matches take a row away twice."""

    def antijoin(
        left: Stream[A],
        right: Stream[B],
        left_key: Callable[[A], Hashable],
        right_key: Callable[[B], Hashable],
        *axes: int,
    ) -> Stream[A]:
        keys = lift(lambda rows: zset.project(rows, right_key), right)
        met = incremental.bilinear(lambda rows, keys: zset.semijoin(rows, keys, left_key), left, keys, *axes)
        return plus(left, lift(zset.negative, met))

    patch.setattr(incremental, "antijoin", antijoin)


def only_new_rows_are_excluded(patch: pytest.MonkeyPatch) -> None:
    """Antijoin where a match that comes or goes does not meet the rows that are there."""

    def antijoin(
        left: Stream[A],
        right: Stream[B],
        left_key: Callable[[A], Hashable],
        right_key: Callable[[B], Hashable],
        *axes: int,
    ) -> Stream[A]:
        held = incremental._hold_to(integrate(right, 0), left.axes)
        return lift2(lambda rows, others: zset.antijoin(rows, others, left_key, right_key), left, held)

    patch.setattr(incremental, "antijoin", antijoin)


def matches_exclude_by_their_rule_alone(patch: pytest.MonkeyPatch) -> None:
    """NOT does not look at the values of its outer variables."""
    patch.setattr(grounding, "_outer_variables", lambda negated: ())


def filters_under_not_hold(patch: pytest.MonkeyPatch) -> None:
    """The filters under NOT are not looked at."""
    patch.setattr(figures, "excluded_rewrites", lambda pairs, _: zset.project(pairs, lambda met: met.rewrite))


def filters_under_not_read_no_matches(patch: pytest.MonkeyPatch) -> None:
    """Matches that differ only in what the filters read count as one, the first."""
    matches = grounding.matches

    def first(rewrites: ZSet[Rewrite], queries: ZSet[Query]) -> ZSet[Match]:
        found = {match.asked: match for match in sorted(matches(rewrites, queries))}
        return dict.fromkeys(found.values(), 1)

    patch.setattr(figures, "matches", first)


def groups_of_the_change_alone(patch: pytest.MonkeyPatch) -> None:
    """A group has only the rows of this commit."""
    patch.setattr(zset, "group_change", lambda before, change, key, row_of: zset.group(change, key, row_of))


def the_old_value_stays(patch: pytest.MonkeyPatch) -> None:
    """A group gets its new value, and keeps the old one."""

    def group_change(
        before: ZSet[A], change: ZSet[A], key: Callable[[A], B], row_of: Callable[[B, ZSet[A]], C | None]
    ) -> ZSet[C]:
        return zset.distinct_change(zset.group(before, key, row_of), zset.group(zset.plus(before, change), key, row_of))

    patch.setattr(zset, "group_change", group_change)


def equal_members_count_once(patch: pytest.MonkeyPatch) -> None:
    """The members of a group are a set."""
    group_row = grounding.group_row
    patch.setattr(
        figures, "group_row", lambda functions, asked, members: group_row(functions, asked, zset.distinct(members))
    )


def distinct_members_count_often(patch: pytest.MonkeyPatch) -> None:
    """DISTINCT says nothing."""
    patch.setattr(functions, "distinct", lambda members: members)


def an_error_is_a_result(patch: pytest.MonkeyPatch) -> None:
    """An expression without a result keeps the row."""
    computations = functions.computations

    def lenient(of: Functions, computed: Computed, known: Substitution) -> Iterator[object]:
        found = list(computations(of, computed, known))
        yield from found or [known if computed.result is None else (*known, (computed.result, '"error"'))]

    patch.setattr(grounding, "computations", lenient)


def a_new_stratum_sees_new_facts_alone(patch: pytest.MonkeyPatch) -> None:
    """The facts that were there before the stratum do not go in."""
    patch.setattr(reference, "impulse", lambda circuit, value: impulse(circuit, {}))


def the_past_comes_out_again(patch: pytest.MonkeyPatch) -> None:
    """What was there before the stratum is told as new."""
    patch.setattr(reference, "negative", lambda facts: {})


def rules_keep_their_stratum(patch: pytest.MonkeyPatch) -> None:
    """A rule stays in the circuit that it entered first."""
    known: dict[Rule, int] = {}

    def strata(rules: Iterator[Rule]) -> dict[Rule, int]:
        return {rule: known.setdefault(rule, level) for rule, level in strata_module.strata(rules).items()}

    patch.setattr(reference, "strata", strata)


def one_stratum(patch: pytest.MonkeyPatch) -> None:
    """NOT reads what is asserted, and nothing is refused."""
    patch.setattr(reference, "strata", lambda rules: dict.fromkeys(rules, 0))


def constants_do_not_part_rules(patch: pytest.MonkeyPatch) -> None:
    """A head and an atom of one relation depend on each other, whatever their constants are."""
    patch.setattr(strata_module, "unifiable", lambda one, other: one.relation == other.relation)


def impulses_come_at_the_first_commit(patch: pytest.MonkeyPatch) -> None:
    """A walk of a later stratum never starts."""

    def at_first(circuit: Circuit, value: ZSet[A]) -> Stream[A]:
        return Stream(circuit, 1, lambda time: {} if time[0] else value)

    patch.setattr(figures, "impulse", at_first)


MUTANTS: list[tuple[Patch, History]] = [
    (every_match_excludes_once, in_words(("a d a . a p b . a p c . a e a", "", f"{ALONE} s(?x) :- [?x, :e, ?x] ."))),
    (only_new_rows_are_excluded, in_words(("a d a", "", ALONE), ("a p b", "", ALONE))),
    (matches_exclude_by_their_rule_alone, in_words(("a d a . b p b", "", ALONE))),
    (filters_under_not_hold, in_words(("a d 1 . a p 2", "", SMALLEST))),
    (
        filters_under_not_hold,
        in_words(("a d 1 . a d 2", "", "s(?x, ?y) :- [?x, :d, ?y], NOT EXISTS (FILTER(?y < ?y)) .")),
    ),
    (filters_under_not_read_no_matches, in_words(("a d 1 . a p 2 . a p 0", "", SMALLEST))),
    (groups_of_the_change_alone, in_words(("a p b", "", COUNT), ("a p c", "", COUNT))),
    (the_old_value_stays, in_words(("a p b", "", COUNT), ("a p c", "", COUNT))),
    (equal_members_count_once, in_words(("a p 1 . b p 1", "", EACH))),
    (distinct_members_count_often, in_words(("a p c . b p c", "", DISTINCT))),
    (an_error_is_a_result, in_words(("a p b", "", LESS))),
    (a_new_stratum_sees_new_facts_alone, in_words(("a d a . a p b", "", ALONE), ("", "", ABOVE))),
    (the_past_comes_out_again, in_words(("a d a . a p b", "", ALONE), ("", "", ABOVE))),
    (
        rules_keep_their_stratum,
        in_words(("a d a . a e b", "", ALONE), ("", "", f"{ALONE} [?x, :p, ?y] :- [?x, :e, ?y] .")),
    ),
    (one_stratum, in_words(("a d a", "", CIRCLE))),
    (one_stratum, in_words(("a p b", "", GROWING))),
    (
        constants_do_not_part_rules,
        in_words(("a d a", "", "s(:a) :- [:a, :d, :a], NOT s(:b) . s(:b) :- [:b, :d, :b], NOT s(:c) .")),
    ),
    (impulses_come_at_the_first_commit, in_words(("a d a . a p b", "", ALONE), ("", "", ABOVE))),
]


@pytest.mark.parametrize(("mutant", "commits"), MUTANTS)
def test_a_misreading_does_not_follow(mutant: Patch, commits: History, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in KINDS:
        follow_alone(commits, kind, FUNCTIONS)
    mutant(monkeypatch)
    with pytest.raises((AssertionError, StratificationError, pytest.fail.Exception)):
        follow_alone(commits, "incremental", FUNCTIONS)
