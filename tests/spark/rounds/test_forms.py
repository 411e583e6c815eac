"""Forms of places: which facts match, how many share a value; and which received facts are news."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.functions.registry import Registry
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import ASSERTED, FIRST, FLAG, HOME, NEWS, TABLE, FactColumns, PlaceForm, sample
from kgreason.spark.rounds.texts import PartTexts
from kgreason.zset.columns import Int32
from tests.spark.rounds.test_rounds import Program
from tests.spark.rounds.whole import written_program

JOIN = "b(1, 2) . f(1, 3) . pair(?y, ?z) :- b(?x, ?y), f(?x, ?z) ."
IDS = st.integers(0, 1)
ROWS = st.lists(st.tuples(IDS, st.sampled_from([1, 1, 0]), IDS, IDS, IDS).map(list), min_size=8, max_size=30)


@given(
    rows=ROWS,
    constants=st.sampled_from([[], [0], [2], [0, 1], [1, 2], [0, 1, 2]]),
    repeated=st.sampled_from([[], [(1, 0)], [(2, 1)], [(1, 0), (2, 0)]]),
    data=st.data(),
)
def test_a_form_matches_the_facts_that_it_says(
    rows: list[list[int]], constants: list[int], repeated: list[tuple[int, int]], data: st.DataObject
) -> None:
    ids = st.lists(IDS, min_size=len(constants), max_size=len(constants))
    values = data.draw(st.lists(ids, min_size=1, max_size=2))
    form = PlaceForm(
        1, tuple(constants), tuple(repeated), 0, 1, False, np.array(values, np.int32).reshape(len(values), -1)
    )
    facts = np.array(rows, dtype=np.int32).reshape(-1, 5)
    wanted = [
        index
        for index, row in enumerate(rows)
        if row[TABLE] == 1
        and (not constants or [row[FIRST + column] for column in constants] in values)
        and all(row[FIRST + one] == row[FIRST + other] for one, other in repeated)
    ]
    assert form.matches(FactColumns(facts)).tolist() == wanted


def test_a_sample_has_its_share_of_what_each_sixteenth_fact_is() -> None:
    places, step = sample(1 << 20, 1 << 16)
    assert np.array_equal(places // step, np.arange((1 << 20) // step))
    assert abs((places % 16 == 0).sum() * step / (1 << 16) - 1) < 1 / 20
    assert sample(1 << 20, 100)[1] == 1, "few facts are all counted"
    assert not len(sample(0, 1 << 16)[0])


def test_a_sample_shows_a_hot_value() -> None:
    """One in four facts has the value, which is a tenth more, or less, than the limit."""
    plan = Program(*written_program(JOIN), 4).plan
    form = next(form for form in plan.forms if form.atoms)
    facts = np.zeros((1 << 18, FIRST + plan.width), dtype=np.int32)
    facts[:, TABLE], facts[:, FIRST] = form.table, form.values[0, 0]
    facts[:, FIRST + 1] = np.where(np.arange(len(facts)) % 4, np.arange(len(facts)), 1 << 20)
    for most, are_hot in ((60_000, True), (72_000, False)):
        some, step = sample(len(facts), most)
        assert step > 1
        made = plan.with_hot_values(plan.counts(facts[some], most // 4, step), most)
        assert [hot.value for hot in made.hot] == [1 << 20] * are_hot


@pytest.mark.parametrize("flags", [(ASSERTED | HOME, HOME), (HOME, ASSERTED | HOME), (HOME, HOME)])
def test_a_fact_that_comes_twice_is_news_once(flags: tuple[int, int]) -> None:
    program = Program(*written_program(JOIN), 1)
    part = EnginePart(program.plan, 0, PartTexts({}), Registry())
    rows: Int32 = np.repeat(program.facts[:1], 2, axis=0)
    rows[:, FLAG] = flags
    sent = part.receive(rows)
    assert sent.parts.tolist() == [NEWS]
    assert bool(sent.rows[0, FLAG] & ASSERTED) == any(flag & ASSERTED for flag in flags)
