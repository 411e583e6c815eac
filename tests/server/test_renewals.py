"""Standing queries that are evaluated as a whole, in turns: `Renewals` with a pool of made-up answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast

import pytest

from kgreason.errors import QueryError, QueryTimeoutError
from kgreason.graph.standing.standing_queries import StandingQueries
from kgreason.graph.standing.standing_query import RowChange
from kgreason.server.problems import busy_problem
from kgreason.server.queries.pool import Pool, Request
from kgreason.server.streams import renewals
from kgreason.server.streams.feed import Feed
from kgreason.server.streams.renewals import Renewals
from kgreason.server.writer import Writer

QUERY = Request("SELECT (COUNT(*) AS ?n) { ?x ?y ?z }", 0, solutions="json")


class Answer:
    kind = "solutions"

    def __init__(self, document: bytes) -> None:
        self.document = document

    def close(self) -> None:
        pass


class Source:
    """A writer, a feed and a pool in one: the answer of a query at commit n is the number n."""

    def __init__(self) -> None:
        self.commit = self.process_count = self.most = 0
        self.asked: list[Request] = []
        self.errors: list[Exception] = []
        self.seconds: float | None = None
        self.is_closed = False
        self.news = asyncio.Event()

    async def ask(self, query: Request) -> Answer:
        if self.errors:
            raise self.errors.pop()
        self.seconds = query.seconds
        self.asked.append(query)
        self.process_count += 1
        self.most = max(self.most, self.process_count)
        await asyncio.sleep(0)
        self.process_count -= 1
        binding = {"n": {"type": "literal", "value": str(query.commit)}}
        return Answer(json.dumps({"head": {"vars": ["n"]}, "results": {"bindings": [binding]}}).encode())

    def make_commit(self) -> None:
        self.commit += 1
        self.news.set()

    async def wait_for_commit(self, commit: int) -> bool:
        if self.commit <= commit:
            await self.news.wait()
        self.news.clear()
        return self.commit > commit


def renewed(source: Source, most: int | None = None) -> AsyncGenerator[RowChange | None]:
    together = StandingQueries(1, most)
    given: Any = source
    return Renewals(cast(Pool, given), cast(Writer, given), cast(Feed, given), together, 1).changes(QUERY, "ann")


def rows(change: RowChange | None) -> tuple[int, list[Any], list[Any]]:
    assert change is not None
    return change.commit, change.appeared, change.disappeared


async def test_a_late_turn_tells_what_many_commits_changed_together() -> None:
    source = Source()
    async with aclosing(renewed(source)) as changes:
        assert rows(await anext(changes)) == (0, [('"0"',)], [])
        for _ in range(5):
            source.make_commit()
        assert rows(await anext(changes)) == (5, [('"5"',)], [('"0"',)])


async def test_one_query_at_a_time_is_evaluated() -> None:
    source = Source()
    given: Any = source
    all_ = Renewals(given, given, given, StandingQueries(1), 1)
    streams = [all_.changes(QUERY, "ann") for _ in range(5)]
    assert len(await asyncio.gather(*map(anext, streams))) == 5
    assert source.most == 1
    for stream in streams:
        await stream.aclose()


async def test_two_readers_renewals_interleave() -> None:
    """Many queries of one reader delay another reader's query by the turn that runs, and one more."""

    source, readers = Source(), ["ann"] * 9 + ["bob"] * 2
    given: Any = source
    all_ = Renewals(given, given, given, StandingQueries(1), 1)
    streams = [all_.changes(QUERY._replace(prefixes={reader: "urn:r"}), reader) for reader in readers]
    await asyncio.gather(*map(anext, streams))
    order = [reader for query in source.asked for reader in query.prefixes or ()]
    assert sorted(order) == readers
    before, between, _ = "".join(reader[0] for reader in order).split("b")
    assert (len(before) <= 2, len(between) <= 1) == (True, True), order
    for stream in streams:
        await stream.aclose()


def test_a_query_waits_while_all_processes_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        source = Source()
        source.errors = [busy_problem("queries"), busy_problem("queries")]
        async with aclosing(renewed(source)) as changes:
            assert rows(await anext(changes)) == (0, [('"0"',)], [])
        assert not source.errors

    monkeypatch.setattr(renewals, "_AGAIN", 0)
    asyncio.run(run())


async def test_a_turn_has_a_limit_of_time() -> None:
    source = Source()
    async with aclosing(renewed(source)) as changes:
        await anext(changes)
    assert source.seconds == 1


async def test_a_query_that_takes_too_long_ends() -> None:
    source = Source()
    changes = renewed(source)
    await anext(changes)
    source.errors = [QueryTimeoutError("too long")]
    source.make_commit()
    with pytest.raises(QueryTimeoutError):
        await anext(changes)


async def test_rows_with_too_many_characters_end_their_query() -> None:
    with pytest.raises(QueryError, match="too many characters"):
        await anext(renewed(Source(), most=2))
