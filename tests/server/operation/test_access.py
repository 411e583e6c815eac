"""The access log, ids of requests, and refused logins in the log."""

from __future__ import annotations

import json
import logging
import re
import shutil
import socket
from pathlib import Path

import pytest

from kgreason.errors import InputError
from tests.server.operation.operating import ADMIN, READ, WRITE, Operated, bearer, operated

from kgreason.server.operation.access import AccessLog, LineFormatter  # isort: skip
from kgreason.server.request.logins import RefusedLogins  # isort: skip
from kgreason.server.settings import Settings  # isort: skip

INSERT = {"update": "INSERT DATA { <http://e/x> a <http://e/Cat> }"}


def test_a_line_says_who_asked_what(server: Operated) -> None:
    edit = server.http.post("/update?secret=1", data=INSERT, headers=bearer(WRITE) | {"X-Request-ID": "edit-1"})
    assert edit.headers["x-request-id"] == "edit-1"
    line = server.line("edit-1")
    assert {"role": "write", "name": "ann", "method": "POST", "path": "/update", "status": 204, "bytes": 0}.items() <= (
        line.items()
    )
    assert line["client"] == "127.0.0.1"
    assert 0 <= line["seconds"] < 100
    got = server.http.get("/health", headers={"X-Request-ID": "health-1"})
    assert server.line("health-1")["bytes"] == len(got.content)
    assert server.line("health-1")["role"] is None


def test_the_log_has_no_token_and_no_ticket(server: Operated) -> None:
    ticket = server.http.post("/tickets", headers=bearer(READ)).json()["ticket"]
    with server.http.stream("GET", f"/changes?ticket={ticket}", headers={"X-Request-ID": "stream-1"}):
        pass
    server.http.get("/health", headers={"X-Request-ID": READ * 2, "Referer": f"http://e/{READ}"})
    assert server.line("stream-1")["path"] == "/changes"
    text = server.log.read_text()
    assert ticket not in text
    assert not any(token in text.replace(READ * 2, "") for token in (READ, WRITE, ADMIN))


def test_every_answer_has_an_id(server: Operated) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", server.http.get("/health").headers["x-request-id"])
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    for given, wanted in (
        ({"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}, trace),
        ({"X-Request-ID": "a/b:c", "traceparent": f"00-{trace}-00f067aa0ba902b7-01"}, "a/b:c"),
    ):
        assert server.http.get("/health", headers=given).headers["x-request-id"] == wanted
    for wrong in ("a b", "a\x1b[1m", "%s", "x" * 129, ""):
        made = server.http.get("/health", headers={"X-Request-ID": wrong}).headers["x-request-id"]
        assert re.fullmatch(r"[0-9a-f]{32}", made)


def test_a_problem_has_the_id_of_its_request(server: Operated) -> None:
    for path, headers in (("/query?query=x", bearer(READ)), ("/query", {}), ("/nowhere", bearer(READ))):
        problem = server.http.get(path, headers=headers | {"X-Request-ID": "problem-1"})
        assert problem.status_code >= 400
        assert problem.json()["request"] == "problem-1"


def test_an_error_in_the_log_has_the_id(server: Operated, caplog: pytest.LogCaptureFixture) -> None:
    server.http.get("/query?query=ASK{}", headers=bearer("x" * 16) | {"X-Request-ID": "login-1"})
    [message] = [each for each in caplog.messages if "login-1" in each]
    assert message == "refused login from 127.0.0.1: unknown token (bearer) (request login-1)"


@pytest.mark.parametrize("form", ["plain", "json"])
def test_no_client_can_forge_a_line(tmp_path: Path, form: str) -> None:
    """A client sends bytes that a client library would refuse to send."""
    evil = b"/x\x1b[31m%0d%0a%1b\"'\\" + "é\u2028".encode()
    with operated(tmp_path, access_log=form) as server:
        host, port = server.address.removeprefix("http://").split(":")
        for target in (evil, b'/a"b%22', b"/" + b"y" * 5000):
            with socket.create_connection((host, int(port))) as raw:
                head = (
                    b"GET %s HTTP/1.1" % target,
                    b"Host: %s:%s" % (host.encode(), port.encode()),
                    b'X-Forwarded-For: 1.2.3.4\x1b[1m"x\x85\n',
                )
                raw.sendall(b"\r\n".join(head) + b"\r\n\r\n")
                raw.settimeout(10)
                raw.recv(100)
        server.http.get("/health", headers={"X-Request-ID": "last"})
        text = server.log.read_bytes()
        while b"last" not in text:
            text = server.log.read_bytes()
    lines = text.decode("ascii").split("\n")
    assert all(line.isprintable() for line in lines)
    assert all(len(line) < 3000 for line in lines)
    pattern = r'\S+Z \S+ \S+ \S+ "[A-Z]+ (?:[^"\\]|\\.)*" \d+ \d+ [\d.]+ \S+'
    for line in lines[:-1]:
        assert json.loads(line)["request"] if form == "json" else re.fullmatch(pattern, line), line


def test_messages_cannot_be_forged() -> None:
    record = logging.LogRecord("kgreason", logging.INFO, "", 0, "text %s", ("a\r\n2026 fake\x1b[31m\x85\u2028",), None)
    assert LineFormatter("%(message)s").format(record) == "text a\\r\n    2026 fake\\x1b[31m\\x85\\u2028"


async def test_refused_logins_cannot_fill_a_disk(caplog: pytest.LogCaptureFixture) -> None:
    refused = RefusedLogins()
    for _ in range(1000):
        refused.note({"type": "http", "client": ("192.0.2.7\n", 1)}, "bearer")
    assert refused.count == 1000
    refused._end_window()
    refused.note({"type": "http"}, "basic")
    assert len(caplog.messages) == 22
    assert caplog.messages[0] == r"refused login from 192.0.2.7\n: unknown token (bearer)"
    assert caplog.messages[20] == "980 more refused logins in the last 60 seconds"


def test_a_wrong_token_in_the_form_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with operated(tmp_path, console=True) as server:
        assert server.http.post("/console/sign-in", data={"token": "x" * 20}).status_code == 401
    assert any("unknown token (form)" in each for each in caplog.messages)


def test_the_log_goes_on_after_its_rotation(server: Operated) -> None:
    server.http.get("/health", headers={"X-Request-ID": "before"})
    server.line("before")
    moved = server.log.rename(server.log.with_suffix(".1"))
    server.http.get("/health", headers={"X-Request-ID": "after"})
    while not server.log.exists():
        pass
    server.line("after")
    assert "after" not in moved.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_does_not_stop_the_answers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with operated(tmp_path, access_file=Path("/dev/full")) as server:
        for _ in range(5):
            assert server.http.get("/health").status_code == 200
    [message] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert message.startswith("the access log cannot be written: [Errno 28] No space left")


def test_a_log_whose_folder_is_gone_does_not_stop_the_answers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "logs").mkdir()
    with operated(tmp_path, access_file=tmp_path / "logs" / "log") as server:
        shutil.rmtree(tmp_path / "logs")
        for _ in range(5):
            assert server.http.get("/health").status_code == 200
    assert [each for each in caplog.messages if "access log" in each and "No such file" in each]


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    async def app(*_: object) -> None: ...

    settings = Settings(tmp_path, access_log="plain", access_file=tmp_path / "none" / "log")
    with pytest.raises(InputError, match="--access-log-file"):
        AccessLog(app, settings)
