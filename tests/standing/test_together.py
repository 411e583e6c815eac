"""Standing queries that share a limit: those that take longest are dropped, and hear why."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import QueryError, QueryTimeoutError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.results.answers import QueryAnswer
from kgreason.graph.standing import standing_query
from kgreason.graph.standing.standing_queries import StandingQueries
from kgreason.graph.standing.standing_query import RowChange, StandingQuery

TEXT = f'"{"x" * 30}"'
COUNT = "SELECT (COUNT(*) AS ?n) { ?x ?y ?z }"


class Told(list[RowChange]):
    """The changes that a query has told; `error` is the message of the last one."""

    def __call__(self, change: RowChange) -> None:
        self.append(change)

    @property
    def error(self) -> str:
        return str(self[-1].error or "")


def test_queries_hear_each_commit(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        graph.add("<e:a> <e:b> <e:c> .")
        together, told, other = StandingQueries(100), Told(), Told()
        first, second = (graph.standing(COUNT, each, together=together) for each in (told, other))
        graph.add("<e:a> <e:b> <e:d> .")
        assert [len(each) for each in (told, other)] == [2, 2]
        second.close()
        graph.add("<e:a> <e:b> <e:e> .")
        assert [len(each) for each in (told, other)] == [3, 2]
        assert len(together) == 1
        first.close()


def test_the_dearest_are_dropped_when_no_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    took: dict[StandingQuery, float] = {}
    changed = StandingQuery._change

    def slowly(self: StandingQuery, delta: Delta) -> object:
        time.sleep(took[self])
        return changed(self, delta)

    monkeypatch.setattr(StandingQuery, "_change", slowly)
    with KnowledgeGraph.open(rules=["none"]) as graph:
        together, told = StandingQueries(100), [Told() for _ in range(5)]
        queries = [graph.standing(COUNT, each, together=together) for each in told]
        for number, query in enumerate(queries):
            query.seconds = 5.0 - number
            took[query] = 0.0 if number > 1 else 0.6
        together.seconds = 0.5
        graph.add("<e:a> <e:b> <e:c> .")
        assert [bool(each.error) for each in told] == [True, True, False, False, False]
        assert all("together may not take longer than 0.5 s" in each.error for each in told[:2])
        graph.add("<e:a> <e:b> <e:d> .")
        assert [len(each) for each in told] == [2, 2, 3, 3, 3]


def test_a_query_that_only_reads_the_delta_is_dropped_too_when_no_time_is_left() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        together, told = StandingQueries(100), Told()
        graph.standing("SELECT ?x { ?x <urn:none> ?y }", told, together=together)
        together.seconds = 0
        graph.add("<e:a> <e:b> <e:c> .")
        assert "no time was left for this one" in told.error
        assert len(together) == 0


def test_a_query_that_would_take_too_long_with_the_others_is_refused() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        together, told = StandingQueries(100), Told()
        first = graph.standing(COUNT, told, together=together)
        first.seconds = 100
        with pytest.raises(QueryTimeoutError, match="the others take 1e\\+02 s"):
            graph.standing(COUNT, lambda _: None, together=together)
        assert len(together) == 1


def test_rows_with_too_much_text_end_their_query() -> None:
    """REPLACE makes a long text of a short one, in a short query."""
    grown = 'SELECT (REPLACE(REPLACE(?z, ".", "0123456789"), ".", "0123456789") AS ?n) { ?x <e:b> ?z }'
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add('<e:a> <e:b> "xx" .')
        together, one, other = StandingQueries(100, 1_000), Told(), Told()
        graph.standing(grown, one, together=together)
        graph.standing(COUNT, other, together=together)
        for number in range(3):
            graph.add(f'<e:a> <e:b> "{number}" .')
        with pytest.raises(QueryError, match="the rows of all standing queries have too many characters together"):
            graph.standing(grown, Told(), together=together)
        assert not one.error
        graph.add('<e:a> <e:b> "yyyyyy" .')
        assert (len(together), other.error) == (1, "")
        assert "have too many characters together" in one.error
        graph.standing(grown.replace("?z }", '?z FILTER(?z = "yyyyyy") }'), Told(), together=together)
        assert together.characters_left() < 1_000 - 400


def test_the_process_of_a_query_has_a_limit_of_memory(tmp_path: Path) -> None:
    ends = ', ".", "0123456789")'
    long = f"SELECT (STRLEN({'REPLACE(' * 6}?z{ends * 6}) AS ?n) {{ ?x <e:b> ?z }}"
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        graph.add(f'<e:a> <e:b> "{"x" * 1_000}" .')
        with pytest.raises(QueryError, match=r"memory allocation of [0-9]+ bytes failed"):
            graph.standing(long, Told(), together=StandingQueries(100, None, 1 << 28))


def test_a_large_delta_is_read_no_longer_than_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing_query, "_SOME", 2)
    looks: list[None] = []

    def look() -> None:
        looks.append(None)
        if len(looks) > 3:
            raise QueryTimeoutError("late")

    with KnowledgeGraph.open(rules=["none"]) as graph:
        told = Told()
        query = graph.standing("SELECT ?x { ?x <urn:none> ?y }", told)
        query.close()
        query._is_ended = False
        delta = graph.add(*[("urn:a", "urn:b", number) for number in range(100)])
        query.on_commit(delta, check=look)
        assert told.error == "late"


def test_a_slow_query_ends_when_no_time_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float | None] = []
    results = KnowledgeGraph._results

    def noted(self: KnowledgeGraph, *arguments: object) -> QueryAnswer:
        asked.append(arguments[4])  # type: ignore[arg-type]
        return results(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(KnowledgeGraph, "_results", noted)
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        query = graph.standing(COUNT, lambda _: None, together=StandingQueries(50))
        graph.add("<e:a> <e:b> <e:c> .")
        assert asked[0] == 50
        assert asked[1] is not None
        assert asked[1] < 50
        query.close()


def test_a_query_that_is_evaluated_again_has_the_room_of_its_own_rows() -> None:
    """Its rows replace the old ones: an edit that changes nothing of them does not end it."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(*((f"<http://e/{number}>", "<http://e/p>", TEXT) for number in range(6)))
        together, told = StandingQueries(100, most=400), Told()
        query = graph.standing("SELECT ?s ?o { ?s <http://e/p> ?o } LIMIT 9", told, together=together)
        graph.add(("<http://e/a>", "<http://e/q>", 1))
        assert (len(told), told.error, together.characters_left() < 200, len(query.rows)) == (1, "", True, 6)
