"""Names of tokens as authors, tokens that are read again, tickets, and Basic."""

from __future__ import annotations

import base64
import json
import logging
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.responses import Response

import kgreason
from kgreason import KnowledgeGraph
from tests.server.operation.operating import ADMIN, NAMES, READ, ROLES, WRITE, Operated, bearer, operated
from tests.server.serving import HANGS_UP, client

from kgreason.server import session  # isort: skip
from kgreason.server.operation.tokens import reload_tokens  # isort: skip
from kgreason.server.session import Holder, Sessions  # isort: skip

RUN = "from kgreason.cli import main; main()"
NEW = "n" * 16


def insert(http: httpx.Client, name: str, token: str) -> int:
    data = {"update": f"INSERT DATA {{ <http://e/{name}> a <http://e/Cat> }}"}
    return int(http.post("/update", data=data, headers=bearer(token)).headers["kgreason-commit"])


def test_the_name_of_a_token_is_the_author(server: Operated) -> None:
    http = server.http
    first = insert(http, "one", WRITE)
    http.put(
        "/store?graph=http://e/g",
        content="<e:a> <e:b> <e:c> .",
        headers=bearer(ADMIN) | {"Content-Type": "text/turtle"},
    )
    rules = {"Content-Type": "text/x-kgreason-rules"}
    http.post("/rules", content="[?x, <e:q>, ?y] :- [?x, <e:p>, ?y] .", headers=bearer(ADMIN) | rules)
    http.post(f"/revert?commit={first}", headers=bearer(WRITE))
    lines = {"Content-Type": "application/x-ndjson"}
    http.post("/transactions", content=json.dumps({"add": "<e:a> <e:p> <e:d> ."}), headers=bearer(WRITE) | lines)
    heads = http.get("/commits?limit=5", headers=bearer(READ)).json()
    assert [each["author"] for each in reversed(heads)] == ["ann", "root", "root", "ann", "ann"]
    assert http.get(f"/commits/{first}", headers=bearer(READ)).json()["author"] == "ann"
    with kgreason.connect(server.address, token=WRITE) as graph:
        delta = graph.add("<http://e/two> a <http://e/Cat> .")
        assert (delta.author, delta.time) == ("ann", graph.log(1)[0].time)
        with graph.subscribe(delta.commit - 1) as deltas:
            assert next(iter(deltas)).author == "ann"
    with http.stream("GET", f"/changes?after={first - 1}", headers=bearer(READ)) as stream:
        data = next(line for line in stream.iter_lines() if line.startswith("data:"))
    assert json.loads(data.removeprefix("data:"))["author"] == "ann"
    patch = bearer(READ) | {"Accept": "application/rdf-patch"}
    with http.stream("GET", f"/changes?after={first - 1}", headers=patch) as stream:
        assert 'H author "ann" .' in [next(lines) for lines in [stream.iter_lines()] for _ in range(4)]


def test_nobody_writes_as_somebody_else(server: Operated) -> None:
    lines = bearer(WRITE) | {"Content-Type": "application/x-ndjson"}
    body = json.dumps({"add": "<e:a> <e:b> <e:c> ."})
    assert server.http.post("/transactions?header=author=root", content=body, headers=lines).status_code == 400


def test_basic_takes_a_token_as_password(server: Operated) -> None:
    http = server.http
    for user in ("", "ann", "é"):
        assert http.get("/query?query=ASK{}", headers=basic(f"{user}:{READ}")).status_code == 200
    assert http.post("/update", headers=basic(f"ann:{READ}")).status_code == 403
    for wrong in (f"{READ}:", READ, "ann:x", f"ann:{READ}:"):
        assert http.get("/query?query=ASK{}", headers=basic(wrong)).status_code == 401
    for header in (b"Basic", b"Basic ???", b"Basic \x80", f"Digest {READ}".encode()):
        assert http.get("/query?query=ASK{}", headers=[(b"Authorization", header)]).status_code == 401


def basic(text: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}


def test_basic_is_offered_where_a_window_of_the_browser_is_welcome(server: Operated) -> None:
    for path, mode, is_offered in (
        ("/query", None, True),
        ("/query", "navigate", True),
        ("/query", "cors", False),
        ("/console/edit", None, False),
        ("/_nicegui/x", "no-cors", False),
    ):
        headers = {"Sec-Fetch-Mode": mode} if mode else {}
        offered = server.http.post(path, headers=headers).headers["www-authenticate"]
        assert offered.split(",")[0] == "Bearer"
        assert ("Basic" in offered) == is_offered, path


def test_a_ticket_opens_a_stream_and_nothing_else(server: Operated) -> None:
    http = server.http
    told = http.post("/tickets", headers=bearer(READ)).json()
    ticket = told["ticket"]
    assert told["seconds"] == 60
    for path in (f"/changes?ticket={ticket}", f"/subscribe?query=ASK{{}}&ticket={ticket}"):
        with http.stream("GET", path) as stream:
            assert stream.status_code == 200, path
    for path in (f"/query?query=ASK{{}}&ticket={ticket}", f"/commits?ticket={ticket}", f"/changes/x?ticket={ticket}"):
        assert http.get(path).status_code == 401
    assert http.post(f"/update?ticket={ticket}").status_code == 401
    assert http.post("/tickets").status_code == 401
    for forged in (f"9{ticket}", ticket[:-1], "", "..", "x.y.z"):
        assert http.get(f"/changes?ticket={forged}").status_code == 401
    cookie = {"Cookie": f"kgreason-{http.base_url.port}={ticket}"}
    assert http.get("/query?query=ASK{}", headers=cookie).status_code == 401


def test_a_ticket_ends() -> None:
    sessions = Sessions(ROLES, NAMES)
    holder = sessions.holder_of_token(WRITE)
    assert isinstance(holder, Holder)
    ticket = sessions.ticket(holder)
    assert sessions.holder_of_ticket(ticket) == holder
    assert sessions.holder_of_cookie(ticket) is None
    with pytest.MonkeyPatch.context() as patch:
        late = time.time() + 61
        patch.setattr(time, "time", lambda: late)
        assert sessions.holder_of_ticket(ticket) is None
    sessions.replace({READ: "read"}, {})
    assert sessions.holder_of_ticket(ticket) is None


def cookie(sessions: Sessions, token: str) -> str:
    """The cookie of a new session."""
    response = Response()
    sessions.begin(response, "h:1", token, is_secure=False)
    return response.headers["set-cookie"].partition(";")[0].partition("=")[2]


def test_signing_out_ends_tickets_and_streams(tmp_path: Path) -> None:
    sessions = Sessions(ROLES, NAMES)
    one, other = (cookie(sessions, READ) for _ in range(2))
    scopes = [{session.HOLDER: sessions.holder_of_cookie(each)} for each in (one, other)]
    holder = scopes[0][session.HOLDER]
    assert holder
    ticket = sessions.ticket(holder)
    assert sessions.holder_of_ticket(ticket) == holder
    sessions.end(Response(), "h:1", one)
    assert [sessions.is_known(scope) for scope in scopes] == [False, True]
    assert sessions.holder_of_ticket(ticket) is None
    with operated(tmp_path, console=True) as server, httpx.Client(base_url=server.address, timeout=30) as browser:
        assert browser.post("/console/sign-in", data={"token": READ}).status_code == 303
        with browser.stream("GET", "/changes") as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("id:")
            browser.post("/console/sign-out")
            insert(server.http, "secret", WRITE)
            assert not any("secret" in line for line in lines)


def test_sessions_that_were_ended_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """After too many of them, all sessions of the token have ended; sessions of other tokens go on."""
    monkeypatch.setattr(session, "_MOST_ENDED", 5)
    sessions = Sessions(ROLES, NAMES)
    ended, going, other = list[str](), cookie(sessions, READ), cookie(sessions, WRITE)
    holders, tickets = [sessions.holder_of_cookie(going)], list[str]()
    for _ in range(6):
        assert sessions.holder_of_cookie(going)
        ended.append(cookie(sessions, READ))
        holders.append(sessions.holder_of_cookie(ended[-1]))
        sessions.end(Response(), "h:1", ended[-1])
        tickets += map(sessions.ticket, holders[-2:])
    of_token = sessions.holder_of_token(READ)
    assert [each for each in (*ended, going) if sessions.holder_of_cookie(each)] == []
    assert [each for each in tickets if sessions.holder_of_ticket(each)] == []
    assert [each for each in holders if sessions.is_known({session.HOLDER: each})] == []
    assert sessions.is_known({session.HOLDER: of_token})
    assert sessions.holder_of_ticket(sessions.ticket(of_token)) == of_token
    assert sum(map(len, sessions._ended.values())) == 0
    assert sessions.holder_of_cookie(other)
    assert sessions.holder_of_cookie(cookie(sessions, READ))


def test_without_tokens_a_ticket_does_no_harm(tmp_path: Path) -> None:
    with operated(tmp_path, tokens={}, token_names={}) as server:
        ticket = server.http.post("/tickets").json()["ticket"]
        with server.http.stream("GET", f"/changes?ticket={ticket}") as stream:
            assert stream.status_code == 200


def test_tokens_are_read_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file, sessions = tmp_path / "tokens", Sessions(ROLES, NAMES)
    caplog.set_level(logging.INFO, "kgreason.server")
    known = {token: sessions.holder_of_token(token) for token in ROLES}
    file.write_text(f"read {WRITE} ann\nadmin {ADMIN} root\nwrite {NEW} bob\n")
    reload_tokens(file, sessions)
    assert "added 1 (write bob); removed 1 (read without a name); changed 1 (read ann)" in caplog.messages[-1]
    assert [bool(sessions.holder_of_token(each)) for each in (READ, WRITE, ADMIN, NEW)] == [False, True, True, True]
    assert not sessions.is_known({session.HOLDER: known[READ]})
    assert sessions.is_known({session.HOLDER: known[ADMIN]})
    for wrong in ("", "nonsense", "read short"):
        file.write_text(wrong)
        reload_tokens(file, sessions)
        assert caplog.records[-1].levelname == "ERROR"
        assert "the old ones stay" in caplog.messages[-1]
        assert sessions.holder_of_token(NEW)
    assert not any(token in caplog.text for token in (READ, WRITE, ADMIN, NEW))


@HANGS_UP
def test_a_stream_ends_with_its_token(tmp_path: Path) -> None:
    with serving(tmp_path, f"read {READ}\nwrite {WRITE} ann\n") as (process, address, log), client(address) as http:
        with http.stream("GET", "/changes", headers=bearer(READ)) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("id:")
            (tmp_path / "tokens").write_text(f"write {WRITE} ann\n")
            process.send_signal(signal.SIGHUP)
            wait(lambda: http.get("/query?query=ASK{}", headers=bearer(READ)).status_code == 401)
            insert(http, "secret", WRITE)
            assert not any("secret" in line for line in lines)
        (tmp_path / "tokens").write_text("nonsense")
        process.send_signal(signal.SIGHUP)
        wait(lambda: "the old ones stay" in log.read_text())
        insert(http, "more", WRITE)
        assert "removed 1 (read without a name)" in log.read_text()


def test_under_nohup_sighup_stays_ignored(tmp_path: Path) -> None:
    with (
        serving(tmp_path, f"read {READ}\n", before="trap '' HUP; ") as (process, address, log),
        client(address) as http,
    ):
        (tmp_path / "tokens").write_text(f"read {NEW}\n")
        process.send_signal(signal.SIGHUP)
        for _ in range(3):
            assert http.get("/query?query=ASK{}", headers=bearer(READ)).status_code == 200
        assert "read again" not in log.read_text()


class serving:  # noqa: N801
    """A server in a process of its own, with a file of tokens; gives its process, its address and its log."""

    def __init__(self, folder: Path, tokens: str, before: str = "") -> None:
        self.folder, self.tokens, self.before = folder, tokens, before

    def __enter__(self) -> tuple[subprocess.Popen[bytes], str, Path]:
        with KnowledgeGraph.open(self.folder / "store") as graph:
            graph.add("<http://e/a> <http://e/b> <http://e/c> .")
        (self.folder / "tokens").write_text(self.tokens)
        store, tokens = str(self.folder / "store"), str(self.folder / "tokens")
        told = ["serve", "-l", store, "--bind", "127.0.0.1:0", "--token-file", tokens, "--no-console"]
        shell = f'{self.before}exec "$0" "$@"'
        self.log = self.folder / "log"
        with self.log.open("wb") as file:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", shell, sys.executable, "-c", RUN, *told],
                stderr=file,
            )
        wait(lambda: " at http://" in self.log.read_text() or self.process.poll() is not None)
        return self.process, self.log.read_text().rsplit(" at ", 1)[1].split()[0], self.log

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        assert self.process.wait(60) == 0


def wait(is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.02)
