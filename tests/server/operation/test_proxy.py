"""A server below a path, and behind proxies: addresses in answers, cookies, and whose headers are believed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest

import kgreason
from kgreason.errors import InputError
from tests.server.operation.operating import ADMIN, READ, WRITE, Operated, bearer, operated
from tests.server.serving import PATIENCE, client

from kgreason.server.request.proxy import check_proxy  # isort: skip

TURTLE = {"Content-Type": "text/turtle"}
get, post, put = (
    partial(httpx.request, method, timeout=PATIENCE, trust_env=False) for method in ("GET", "POST", "PUT")
)


@pytest.fixture(scope="module")
def rooted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operated]:
    """A server with a console below /kg."""
    with operated(tmp_path_factory.mktemp("rooted"), root_path="/kg", console=True) as found:
        yield found


def test_the_prefix_may_be_there_or_taken_away(rooted: Operated) -> None:
    origin = rooted.address.removesuffix("/kg")
    assert rooted.address.endswith("/kg")
    for address in (f"{origin}/kg", origin):
        assert get(f"{address}/query?query=ASK{{}}", headers=bearer(READ)).json()["boolean"] is True
        assert get(f"{address}/query?query=ASK{{}}").status_code == 401
        assert get(f"{address}/health").status_code == 200
        assert post(f"{address}/update", headers=bearer(READ)).status_code == 403
    assert get(f"{origin}/kgx/health", headers=bearer(READ)).status_code == 404


def test_addresses_in_answers_have_the_prefix(rooted: Operated) -> None:
    http, head = rooted.http, bearer(ADMIN)
    made = http.post("/store", content="<http://e/a> <http://e/b> <> .", headers=head | TURTLE)
    place = made.headers["location"]
    assert place.startswith(f"{rooted.address}/store/")
    assert place in get(place, headers=head | {"Accept": "application/n-triples"}).text
    direct = f"{rooted.address}/store/some/name"
    assert put(direct, content="<http://e/a> <http://e/b> <x> .", headers=head | TURTLE).status_code == 201
    quads = http.get("/store", headers=head | {"Accept": "application/n-quads"}).text
    assert f"<http://e/a> <http://e/b> <{rooted.address}/store/some/x> <{direct}> ." in quads
    assert http.get("/openapi.json", headers=head).json()["servers"] == [{"url": "/kg"}]
    assert f"{rooted.address}/query" in http.get("/query", headers=head).text
    update = {"update": "INSERT DATA { <r> a <http://e/C> }"}
    http.post("/update", data=update, headers=head)
    assert http.post("/query", data={"query": f"ASK {{ <{rooted.address}/r> a ?c }}"}, headers=head).json()["boolean"]
    metrics = http.get("/metrics", headers=head).text
    assert 'kgreason_requests_total{method="PUT",path="/store",status="201"}' in metrics


def test_a_session_lives_below_the_prefix(rooted: Operated) -> None:
    with client(rooted.address) as browser:
        page = browser.get("/console/edit")
        assert (page.status_code, page.headers["location"]) == (303, "/kg/console/sign-in?next=/console/edit%3F")
        done = browser.post("/console/sign-in?next=/console/edit", data={"token": WRITE})
        assert done.headers["location"] == "/kg/console/edit"
        assert "; Path=/kg;" in done.headers["set-cookie"]
        assert "secure" not in done.headers["set-cookie"].lower()
        text = browser.get("/console/edit").text
        assert '"/kg/_nicegui/' in text
        assert '\\"/console' not in text
        rows = browser.get("/console/rows.csv", params={"query": "SELECT ?x { BIND(<y> AS ?x) }"})
        assert rows.text == f"x\r\n{rooted.address}/y\r\n"
        left = browser.post("/console/sign-out")
        assert left.headers["location"] == "/kg/console/sign-in"
        assert browser.get("/console/edit").status_code == 303


def test_a_client_of_python_works_below_the_prefix(rooted: Operated) -> None:
    with kgreason.connect(rooted.address, token=WRITE) as graph:
        delta = graph.add("<http://e/py> a <http://e/Cat> .")
        assert graph.ask("ASK { <http://e/py> a <http://e/Cat> }")
        with graph.subscribe(delta.commit - 1) as deltas:
            assert next(iter(deltas)).commit == delta.commit


def test_a_websocket_has_a_line_in_the_log(rooted: Operated) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "X-Request-ID": "socket-1",
    }
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    assert rooted.http.get(path, headers=upgrade).status_code == 403
    line = rooted.line("socket-1")
    assert (line["method"], line["path"], line["status"]) == ("WEBSOCKET", "/kg/_nicegui_ws/socket.io/", 403)


def test_a_trusted_proxy_tells_the_client_and_the_scheme(server: Operated) -> None:
    via = {"X-Forwarded-For": "6.6.6.6, 192.0.2.7", "X-Forwarded-Proto": "https", "X-Request-ID": "via-1"}
    made = server.http.post("/store", content="<http://e/a> <http://e/b> 1 .", headers=bearer(WRITE) | TURTLE | via)
    assert made.headers["location"].startswith("https://")
    assert server.line("via-1")["client"] == "192.0.2.7"


def test_other_clients_are_not_believed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with operated(tmp_path, trusted_proxies=("192.0.2.0/24",), console=True) as server:
        via = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https", "X-Request-ID": "via-2"}
        made = server.http.post("/store", content="<http://e/a> <http://e/b> 1 .", headers=bearer(WRITE) | TURTLE | via)
        assert made.headers["location"].startswith("http://")
        assert server.line("via-2")["client"] == "127.0.0.1"
        done = server.http.post("/console/sign-in", data={"token": WRITE}, headers=via)
        assert "secure" not in done.headers["set-cookie"].lower()


def test_behind_tls_the_cookie_is_secure(tmp_path: Path) -> None:
    with operated(tmp_path, console=True) as server:
        done = server.http.post("/console/sign-in", data={"token": WRITE}, headers={"X-Forwarded-Proto": "https"})
        assert "secure" in done.headers["set-cookie"].lower()


@pytest.mark.parametrize("root", ["kg", "/", "/kg/", "//kg", "/k g", "/../kg", "/é", '/a"b', "/store", "/console/x"])
def test_a_prefix_that_cannot_be_used_is_an_error(root: str) -> None:
    with pytest.raises(InputError, match="--root-path"):
        check_proxy(root, (), ["/store/{graph}", "/console"])


def test_a_prefix_of_several_names_can_be_used() -> None:
    check_proxy("/a/b-c.d", ("10.0.0.0/8", "::1"), ["/store"])
    with pytest.raises(InputError, match="--trusted-proxy localhost"):
        check_proxy("", ("localhost",), [])
