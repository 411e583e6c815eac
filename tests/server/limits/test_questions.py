"""Questions that need the engine: they end at their limits, edits go before them, and the server can be stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from kgreason import KnowledgeGraph
from kgreason.errors import GraphBusyError, LimitError, QueryTimeoutError
from kgreason.graph.shapes.shapes_editor import triples_of_sources
from kgreason.interrupts import let_out
from kgreason.store.oxigraph import worker
from tests.server.conftest import ZOO
from tests.server.limits.test_guard import ADMIN, READ, WRITE, bearer, guarded  # noqa: F401 - a fixture
from tests.server.limits.test_limits import ENDLESS, UPDATE, added, process_of
from tests.server.serving import PATIENCE, client, served

from kgreason.server import writer as writing  # isort: skip
from kgreason.server.paths.server_parts import check_text  # isort: skip
from kgreason.server.problems import Problem  # isort: skip
from kgreason.server.writer import QuestionLimits, Writer  # isort: skip

RULES = {"Content-Type": "text/x-kgreason-rules"}
NUMBERS = "".join(f"<http://e/{n}> <http://e/link> {n} .\n" for n in range(1000))
PRODUCT = "q(?a, ?c, ?e) :- [?a, <http://e/link>, ?b], [?c, <http://e/link>, ?d], [?e, <http://e/link>, ?f] ."
"""A rule that derives 10^9 facts."""
SLOW = "INSERT { <http://e/n> <http://e/n> ?n } WHERE { " + ENDLESS + " }"
FIRST = "INSERT DATA { <http://e/1> <http://e/link> 1 } ; "
FOREVER = 20
"""The seconds after which a call of these tests ends alone, if its guard does not end it."""


def busy(_: KnowledgeGraph) -> str:
    """Work that passes many places where it may be ended."""
    until = time.monotonic() + FOREVER
    while time.monotonic() < until:
        let_out()
        time.sleep(0.001)
    return "done"


@asynccontextmanager
async def new_writer(**options: Any) -> AsyncIterator[Writer]:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.what_if().end(False)
        writer = Writer(graph, 8, **options)
        try:
            yield writer
        finally:
            writer.close()


async def test_a_question_over_its_time_ends() -> None:
    async with new_writer(means=QuestionLimits(seconds=0.05)) as writer:
        with pytest.raises(QueryTimeoutError, match=r"longer than 0\.05 s"):
            await writer.ask(busy)


async def test_a_question_over_its_memory_ends() -> None:
    def large(graph: KnowledgeGraph) -> None:
        kept = []
        for _ in range(400):
            kept.append(b"x" * (1 << 20))
            time.sleep(0.001)
            let_out()

    async with new_writer(means=QuestionLimits(bytes=1 << 26)) as writer:
        with pytest.raises(LimitError, match="more than 67,108,864 bytes"):
            await writer.ask(large)


async def test_a_question_ends_when_an_edit_waits_for_it() -> None:
    async with new_writer(means=QuestionLimits(hold=0.02)) as writer:
        asked = asyncio.create_task(writer.ask(busy))
        await asyncio.sleep(0.01)
        assert await writer.run(lambda _: "edited") == "edited"
        with pytest.raises(GraphBusyError, match="an edit waited"):
            await asked


async def test_a_question_ends_when_its_client_leaves() -> None:
    ended: list[BaseException] = []

    def noted(graph: KnowledgeGraph) -> None:
        try:
            busy(graph)
        except BaseException as error:
            ended.append(error)
            raise

    async with new_writer() as writer:
        asked = asyncio.create_task(writer.ask(noted))
        await asyncio.sleep(0.02)
        asked.cancel()
        assert await writer.ask(lambda _: "next") == "next"
        assert "gone away" in str(ended)


async def test_a_process_that_checks_a_text_is_killed_when_its_client_leaves() -> None:
    ended = asyncio.Event()

    async def check(*_: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    parts: Any = SimpleNamespace(pool=SimpleNamespace(check=check), feed=SimpleNamespace(is_closed=False))
    app = SimpleNamespace(state=SimpleNamespace(served=parts))

    with pytest.raises(Problem, match="gone away"):
        await check_text(Request({"type": "http", "app": app, "headers": []}, receive), "lines", "a file", "another")
    async with asyncio.timeout(30):
        await ended.wait()


async def test_questions_end_when_the_server_stops() -> None:
    is_stopping = threading.Event()

    async with new_writer(is_stopping=is_stopping.is_set) as writer:
        asked = [asyncio.create_task(writer.ask(busy)) for _ in range(2)]
        await asyncio.sleep(0.02)
        is_stopping.set()
        for each in asked:
            with pytest.raises(Problem, match="stopping"):
                await each


async def test_an_edit_ends_some_time_after_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "GRACE", 0.02)
    is_stopping = threading.Event()

    def edit(graph: KnowledgeGraph) -> None:
        with graph.transaction() as tx:
            tx.add("<http://e/a> <http://e/b> <http://e/c> .")
            busy(graph)

    async with new_writer(is_stopping=is_stopping.is_set) as writer:
        edits = [asyncio.create_task(writer.run(edit)) for _ in range(2)]
        await asyncio.sleep(0.02)
        is_stopping.set()
        for each in edits:
            with pytest.raises(Problem, match="stopping"):
                await each
        assert writer.commit == 0


async def test_an_edit_that_is_a_commit_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "GRACE", 0)
    is_stopping = threading.Event()

    def edit(graph: KnowledgeGraph) -> int:
        graph.add("<http://e/a> <http://e/b> <http://e/c> .")
        is_stopping.set()
        for _ in range(10):
            let_out()
            time.sleep(0.001)
        return graph.commit

    async with new_writer(is_stopping=is_stopping.is_set) as writer:
        assert await writer.run(edit) == 1  # its client is told that it stands


async def test_edits_go_before_questions() -> None:
    order: list[str] = []

    async with new_writer() as writer:
        first = asyncio.create_task(writer.run(lambda _: time.sleep(0.05)))
        await asyncio.sleep(0.01)
        asked = [asyncio.create_task(writer.ask(lambda _: order.append("question"))) for _ in range(2)]
        await asyncio.sleep(0.01)
        edited = [asyncio.create_task(writer.run(lambda _: order.append("edit"))) for _ in range(2)]
        await asyncio.gather(first, *asked, *edited)
        assert order == ["edit", "edit", "question", "question"]


async def test_a_question_that_has_waited_long_goes_before_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_TURN", 0.0)
    order: list[str] = []

    async with new_writer() as writer:
        first = asyncio.create_task(writer.run(lambda _: time.sleep(0.05)))
        await asyncio.sleep(0.01)
        edited = asyncio.create_task(writer.run(lambda _: order.append("edit")))
        await asyncio.gather(first, edited, writer.ask(lambda _: order.append("question")))
        assert order == ["question", "edit"]


TURTLE = {"Content-Type": "text/turtle"}
PAIRS = """@prefix sh: <http://www.w3.org/ns/shacl#> .
<http://e/S> sh:targetSubjectsOf <http://e/link>, <http://e/p>, <http://e/n> ; sh:sparql [
    sh:select "SELECT $this ?value WHERE { ?a ?p ?b . ?value ?q ?c . ?d ?r ?e }" ] .
"""
"""Shapes with a result for each pair of triples."""
QUESTIONS = [
    "/what-if",
    "/explain?triple=%3Chttp://e/tom%3E+a+%3Chttp://e/Cat%3E",
    "/explain?triple=%3Chttp://e/tom%3E+a+%3Chttp://e/Cat%3E&all=true",
    "/why-not?triple=%3Chttp://e/tom%3E+a+%3Chttp://e/Dog%3E",
    "/rules",
    "/rules?own=true",
    "/rules?costs=true&alone=true&anew=true",
    "/contradictions?proofs=true",
    "/contradictions?classes=true",
    "/stats",
    "/status",
    "/triples",
    "/match",
    "/dump",
    "/dump?relations=true",
    "/relations",
    "/relations/edge",
    "/store",
    "/shapes",
    "/validate",
    "/validate?data=asserted",
    "/validate POST",
    "/validate?data=asserted POST",
]


def test_every_question_has_limits_and_edits_have_not(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO, question_seconds=1e-9) as server, client(server) as http:
        for path in QUESTIONS:
            address, _, method = path.partition(" ")
            if path == "/what-if":
                answer = http.post(path, data={"update": ""})
            else:
                answer = http.request(method or "GET", address, content="" if method else None, headers=TURTLE)
            assert (answer.status_code, "longer than" in answer.text) == (504, True), path
        assert added(http, 1)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of a thousand triples without rules."""
    store = tmp_path_factory.mktemp("numbers") / "store"
    with KnowledgeGraph.open(store, rules=["none"]) as graph:
        graph.add(NUMBERS)
    return store


@pytest.mark.parametrize(
    ("limits", "status", "why"),
    [
        ({"question_seconds": 0.5, "what_if_budget": 10**9}, 504, "longer than 0.5 s"),
        ({"what_if_budget": 10_000}, 422, "budget of 10,000"),
        ({"question_bytes": 1 << 26, "question_seconds": 100}, 422, "bytes of memory"),
    ],
    ids=["time", "budget", "memory"],
)
def test_a_what_if_that_wants_too_much_ends(limits: dict[str, Any], status: int, why: str, numbers: Path) -> None:
    with served(numbers, **limits) as address, client(address) as http:
        before = sorted(http.get("/dump").text.splitlines())
        answer = http.post("/what-if", content=PRODUCT, headers=RULES)
        assert (answer.status_code, why in answer.text) == (status, True), answer.text
        assert sorted(http.get("/dump").text.splitlines()) == before
        assert http.post("/what-if", content=FIRST, headers=UPDATE).is_success


@pytest.mark.parametrize("data", ["inferred", "asserted"])
@pytest.mark.parametrize(
    ("limits", "statuses"),
    [
        ({"question_seconds": 0.5, "what_if_budget": 10**9}, (504,)),
        ({"question_bytes": 1 << 26}, (422, 504)),
        ({"what_if_budget": 10_000}, (422,)),
    ],
    ids=["time", "memory", "budget"],
)
def test_shapes_that_want_too_much_end(
    limits: dict[str, Any], statuses: tuple[int, ...], data: str, numbers: Path
) -> None:
    with served(numbers, **limits) as address, client(address) as http:
        before = sorted(http.get("/dump").text.splitlines())
        answer = http.post("/validate", params={"data": data}, content=PAIRS, headers=TURTLE)
        assert answer.status_code in statuses, answer.text
        assert sorted(http.get("/dump").text.splitlines()) == before
        assert http.get("/validate").json()["conforms"]


def test_a_query_of_shapes_with_many_alternatives_is_refused_before_the_writer_reads_it(numbers: Path) -> None:
    """Each alternative of a UNION doubles the rules."""
    many = " . ".join(f"{{ $this <e:q> ?a{n} }} UNION {{ $this <e:r> ?a{n} }}" for n in range(24))
    text = PAIRS.replace("?a ?p ?b . ?value ?q ?c . ?d ?r ?e", many)
    line = json.dumps({"add_shapes": "".join(f"{' '.join(each)} .\n" for each in triples_of_sources([text]))})
    with served(numbers) as address, client(address) as http:
        for path, body, headers in (
            ("/validate", text, TURTLE),
            ("/shapes", text, TURTLE),
            ("/what-if", line, {"Content-Type": "application/x-ndjson"}),
            ("/transactions", line, {"Content-Type": "application/x-ndjson"}),
        ):
            answer = http.post(path, content=body, headers=headers)
            assert answer.status_code in (400, 504), (path, answer.text)
        assert added(http, 1)


def test_an_edit_does_not_wait_for_a_what_if(numbers: Path) -> None:
    limits: dict[str, Any] = {"question_seconds": PATIENCE, "what_if_budget": None, "hold_seconds": 0.2}
    with served(numbers, **limits) as address, client(address) as http, ThreadPoolExecutor(1) as other:
        asked = other.submit(http.post, "/what-if", content=PRODUCT, headers=RULES)
        while not asked.done():
            assert http.post("/update", content="", headers=UPDATE).is_success
            time.sleep(0.05)
    assert asked.result().status_code == 503
    assert asked.result().headers["retry-after"] == "1"


def test_a_what_if_needs_the_role_that_the_server_says(tmp_path: Path) -> None:
    tokens = {READ: "read", WRITE: "write", ADMIN: "admin"}
    with served(tmp_path / "store", text=ZOO, tokens=tokens, what_if_role="write") as address, client(address) as http:
        for token, status in ((READ, 403), (WRITE, 200), (ADMIN, 200)):
            assert http.post("/what-if", content="", headers=UPDATE | bearer(token)).status_code == status
        assert http.get("/stats", headers=bearer(READ)).is_success


def test_readers_may_ask_what_ifs_by_default(guarded: httpx.Client) -> None:  # noqa: F811 - the fixture
    assert guarded.post("/what-if", content="", headers=UPDATE | bearer(READ)).is_success


@pytest.mark.parametrize("path", ["/update", "/what-if"])
@pytest.mark.parametrize("before", [FIRST, f"{FIRST} INSERT {{ ?x a ?y }} WHERE {{ ?x a ?y }} ; "], ids=["one", "two"])
def test_a_slow_where_after_other_operations_ends(path: str, before: str, tmp_path: Path) -> None:
    """The query process finds it fast, because it sees nothing of the first operation."""
    limits: dict[str, Any] = {"query_seconds": 1, "question_seconds": PATIENCE}
    slow = SLOW.replace("?a0 ?b0 ?c0 .", "?a0 <http://e/link> ?c0 . ?a0 ?b0 ?c0 .")
    was_left = worker.has_abandoned_call()
    with served(tmp_path / "store", text=ZOO, **limits) as address, client(address) as http:
        answer = http.post(path, content=before + slow, headers=UPDATE)
        assert (answer.status_code, "longer than 1 s" in answer.text) == (504, True), answer.text
        assert was_left or not worker.has_abandoned_call()  # nothing goes on in a thread, which nobody could stop
        assert added(http, 1)


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("/what-if", PRODUCT, RULES),
        ("/what-if", FIRST + SLOW.replace("?a0 ?b0 ?c0 .", "?a0 <http://e/link> ?c0 . ?a0 ?b0 ?c0 ."), UPDATE),
        ("/update", SLOW, UPDATE),
        ("/update", FIRST + SLOW.replace("?a0 ?b0 ?c0 .", "?a0 <http://e/link> ?c0 . ?a0 ?b0 ?c0 ."), UPDATE),
        ("/rules", PRODUCT, RULES),
    ],
    ids=["what-if", "WHERE of a what-if", "WHERE", "WHERE after an operation", "commit"],
)
def test_sigterm_ends_the_server_at_any_moment(path: str, body: str, headers: dict[str, str], tmp_path: Path) -> None:
    long = ("--query-timeout", 1000, "--question-timeout", 1000, "--what-if-budget", 10**12)
    text = ZOO if "WHERE" in body else NUMBERS
    with process_of(tmp_path / "store", *long, text=text) as (process, http), ThreadPoolExecutor(1) as other:
        commit = http.get("/health").json()["commit"]
        asked = other.submit(outcome, http, path, body, headers)
        time.sleep(1)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(PATIENCE) in (0, 1)  # 1 on a machine so busy that the process ends itself
        assert asked.result() in (500, 503, None)  # nobody is told that it was done
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert graph.commit == commit


def outcome(http: httpx.Client, path: str, body: str, headers: dict[str, str]) -> int | None:
    """The status of a request, or None if the server has gone."""
    try:
        return http.post(path, content=body, headers=headers).status_code
    except httpx.TransportError:
        return None
