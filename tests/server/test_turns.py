"""Turns: one call at a time, and readers take turns, whatever comes and goes."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from kgreason.server.streams.turns import Turns


async def order(readers: list[str], leaving: set[int] = frozenset()) -> list[str]:  # type: ignore[assignment]
    """Who has a turn, one after the other, if all ask at once and those at the places `leaving` go away again."""
    turns, had, most = Turns(), list[str](), [0]

    async def turn(reader: str) -> None:
        async with turns.turn(reader):
            most[0] += 1
            assert most[0] == 1
            had.append(reader)
            await asyncio.sleep(0)
            most[0] -= 1

    async with turns.turn("first"):
        tasks = [asyncio.create_task(turn(reader)) for reader in readers]
        await asyncio.sleep(0)
        for place in leaving:
            tasks[place].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(1), turns.turn("last"):
        pass
    return had


def test_readers_take_turns() -> None:
    assert asyncio.run(order(["ann"] * 4 + ["bob", "cat", "bob"])) == ["ann", "bob", "cat", "ann", "bob", "ann", "ann"]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.sets(st.integers(0, 11)))
@example(["a", "a", "a", "b", "b"], {1})
def test_nobody_waits_for_two_turns_of_another_reader(readers: list[str], places: set[int]) -> None:
    leaving = {place for place in places if place < len(readers)}
    had = asyncio.run(order(readers, leaving))
    stay = [reader for place, reader in enumerate(readers) if place not in leaving]
    assert sorted(had) == sorted(stay)
    for reader in set(stay):
        places_of = [place for place, each in enumerate(had) if each == reader]
        for begin, end in pairwise([-1, *places_of]):
            between = had[begin + 1 : end]
            assert len(between) == len(set(between))


async def test_a_turn_that_comes_as_its_caller_leaves_is_passed_on() -> None:
    turns = Turns()

    async def wait() -> None:
        async with turns.turn("ann"):
            pass

    async with turns.turn("bob"):
        left, stays = asyncio.create_task(wait()), asyncio.create_task(wait())
        await asyncio.sleep(0)
    left.cancel()  # its turn has come, but it has not run since
    async with asyncio.timeout(1):
        await stays
