"""Standing queries over HTTP."""

from __future__ import annotations

import json
import socket
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

import kgreason
from kgreason.errors import QueryError
from tests.client.test_stream import fragile
from tests.server.conftest import ZOO
from tests.server.serving import client, served

EX = {"": "http://e/"}
CATS = "SELECT ?x { ?x a :Cat }"
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12)) + " }"


def test_rows_come_and_go(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO) as address, kgreason.connect(address) as graph:
        with graph.standing(CATS, prefixes=EX) as rows, graph.standing("ASK { :rex a :Animal }", prefixes=EX) as asked:
            first = next(rows)
            assert (first.columns, first.appeared, first.disappeared) == (("x",), [("<http://e/tom>",)], [])
            assert next(asked).appeared == []
            made = graph.add("<http://e/rex> a <http://e/Cat> .")
            assert next(rows) == (made.commit, ("x",), [("<http://e/rex>",)], [], None)
            assert next(asked).appeared == [()]
            gone = graph.remove("<http://e/rex> a <http://e/Cat> .")
            assert next(rows)[2:4] == ([], [("<http://e/rex>",)])
            assert next(asked)[::3] == (gone.commit, [()])
        assert "kgreason_streams" in httpx.get(f"{address}/metrics", trust_env=False).text


def test_rows_add_up_through_lost_connections(tmp_path: Path) -> None:
    rows: Counter[Any] = Counter()
    with (
        served(tmp_path / "store", text=ZOO) as address,
        fragile(address) as (relay, connections),
        kgreason.connect(address) as writer,
        kgreason.connect(relay) as reader,
        reader.standing(CATS, prefixes=EX) as changes,
    ):
        rows.update(next(changes).appeared)
        for number in range(6):
            for each in connections:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            writer.add(f"<http://e/c{number}> a <http://e/Cat> .")
            change = next(changes)
            assert len(change.appeared) == 1
            rows.update(change.appeared)
        assert rows == Counter((str(row[0]),) for row in writer.select(CATS, prefixes=EX))


def test_queries_that_cannot_stand_are_refused(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO, query_seconds=3) as address, client(address) as http:

        def refused(query: str) -> tuple[int, str]:
            answer = http.get("/subscribe", params={"query": query})
            return answer.status_code, answer.json()["detail"]

        assert refused("SELECT { ")[0] == 400
        assert "SELECT or an ASK" in refused("CONSTRUCT { ?x ?y ?z } WHERE { ?x ?y ?z }")[1]
        assert refused("SELECT * { SERVICE <http://e/> { ?x ?y ?z } }")[0] == 403
        assert http.get("/subscribe").status_code == 400
        assert refused(ENDLESS)[0] == 504
        assert http.post("/update", data={"update": "INSERT DATA { <a:a> <a:b> <a:c> }"}).status_code == 204
        assert http.get("/status").json()["streams"] == 0


def test_a_query_that_grows_too_long_ends(tmp_path: Path) -> None:
    pairs = "SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?c :p ?d . ?e :p ?f . ?g :p ?h FILTER(?a != ?h) }"
    with (
        served(tmp_path / "store", rules="none", text=ZOO, standing_seconds=0.5) as address,
        kgreason.connect(address) as graph,
        graph.standing(pairs, prefixes=EX) as changes,
    ):
        next(changes)
        graph.add(*[(f"http://e/{number}", "http://e/p", number) for number in range(200)])
        with pytest.raises(QueryError, match="longer than"):
            next(changes)
        assert graph.ask("ASK {}")


def test_events_are_plain_json(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO) as address, client(address) as http:
        query = {"query": "SELECT ?x ?n { ?x a <http://e/Cat> OPTIONAL { ?x <http://e/none> ?n } }"}
        with http.stream("GET", "/subscribe", params=query) as stream:
            data = next(line for line in stream.iter_lines() if line.startswith("data: "))
    assert json.loads(data[6:])["appeared"] == [["<http://e/tom>", None]]


def test_rows_of_a_query_that_is_evaluated_as_a_whole_add_up(tmp_path: Path) -> None:
    either = "SELECT ?x { { ?x a :Cat } UNION { ?x a :Dog } }"
    with (
        served(tmp_path / "store", text=ZOO) as address,
        kgreason.connect(address) as graph,
        graph.standing(either, prefixes=EX) as changes,
    ):
        rows = Counter(next(changes).appeared)
        for number in range(8):
            graph.add(f"<http://e/x{number}> a <http://e/{'Cat' if number % 2 else 'Dog'}> .")
        graph.remove("<http://e/x3> a <http://e/Cat> .")
        present = Counter((str(row[0]),) for row in graph.select(either, prefixes=EX))
        while +rows != present:  # the client ends this by its timeout
            change = next(changes)
            rows.update(change.appeared)
            rows.subtract(change.disappeared)
