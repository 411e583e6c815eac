"""Who may use the console, and what text of the graph can do: sessions, websockets, roles, scripts in labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.console.browsing import EVIL, ZOO, serving, visiting, write
from tests.server.limits.test_attacks import PATHS, leads_nowhere
from tests.server.serving import client, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

READ, ADMIN = "r" * 16, "a" * 16
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with tokens, over a graph with scripts in its texts."""
    folder = tmp_path_factory.mktemp("guarded")
    tokens = folder / "tokens"
    tokens.write_text(f"read {READ}\nadmin {ADMIN}\n")
    label = EVIL.replace('"', '\\"')
    text = f"""{ZOO} :eve :name "{label}" ; rdfs:label "{label}" ; a :Cat, :Dog . :eve :`${{x}} "`${{1}}" ."""
    text = text.replace(":eve :`${x}", ":eve :tick")
    with serving(folder / "store", "--token-file", str(tokens), text=text) as found:
        yield found


@pytest.fixture
def http(guarded: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=guarded, trust_env=False, timeout=60) as found:
        yield found


def signed_in(http: httpx.Client, token: str) -> httpx.Response:
    return http.post("/console/sign-in", data={"token": token}, headers={"Origin": str(http.base_url).rstrip("/")})


@pytest.mark.parametrize("path", ["/", "/console/edit", "/console/explore?term=x"])
def test_without_a_session_a_page_is_the_sign_in(path: str, http: httpx.Client) -> None:
    answer = http.get(path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/console/sign-in?next=%2F".replace("%2F", "/"))
    assert http.get("/_nicegui/x").status_code == 401


def test_a_session_is_a_signed_cookie_of_its_role(http: httpx.Client) -> None:
    wrong = signed_in(http, "x" * 16)
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    right = signed_in(http, READ)
    assert right.status_code == 303
    cookie = right.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert READ not in cookie
    assert http.get("/").status_code == 200
    assert http.get("/query?query=ASK{}").status_code == 200
    assert http.post("/update", data={"update": "INSERT DATA { <e:a> <e:b> <e:c> }"}).status_code == 403
    name = f"kgreason-{http.base_url.port}"  # browsers send the cookies of a host to all its ports
    text, _, signature = http.cookies[name].rpartition(".")
    until, _, token = text.partition(".")  # the rest has the token's name and the session's own
    forged = [f"{int(until) + 9}.{token}.{signature}", f"{text}.{'0' * 64}", "", "x", f"{text}.", "1.2.3", ".."]
    for each in forged:
        assert http.get("/query?query=ASK{}", headers={"Cookie": f"{name}={each}"}).status_code in (200, 401)
        with httpx.Client(base_url=http.base_url, trust_env=False) as other:
            assert other.get("/query?query=ASK{}", headers={"Cookie": f"{name}={each}"}).status_code == 401


def test_signing_out_takes_the_cookie_away(http: httpx.Client) -> None:
    signed_in(http, READ)
    http.post("/console/sign-out")
    assert http.get("/").status_code == 303


def test_signing_out_ends_this_session_and_no_other(http: httpx.Client) -> None:
    """A copy of the cookie is refused after the sign-out; another browser with the same token goes on."""
    with httpx.Client(base_url=http.base_url, trust_env=False) as other:
        signed_in(http, READ)
        signed_in(other, READ)
        copy = {"Cookie": "; ".join(f"{name}={value}" for name, value in http.cookies.items())}
        ask = "/query?query=ASK{}"
        assert httpx.get(http.base_url.join(ask), headers=copy).status_code == 200
        http.post("/console/sign-out")
        assert httpx.get(http.base_url.join(ask), headers=copy).status_code == 401
        assert other.get(ask).status_code == 200


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "/%0d%0aX: y", "/query"]
)
def test_signing_in_leads_to_a_page_of_the_console(target: str, http: httpx.Client) -> None:
    answer = http.post("/console/sign-in", params={"next": target}, data={"token": READ})
    assert answer.headers["location"] == "/"


def test_other_pages_cannot_sign_in(http: httpx.Client) -> None:
    answer = http.post("/console/sign-in", data={"token": READ}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_websockets_need_the_session_and_the_own_origin(http: httpx.Client) -> None:
    own = {"Origin": str(http.base_url).rstrip("/")}

    def status(**headers: str) -> int:
        with http.stream("GET", SOCKET, headers={**UPGRADE, **headers}) as answer:
            return answer.status_code

    assert status(**own) == 403
    signed_in(http, READ)
    assert status(**own) == 101
    assert status(Origin="https://evil.example") == 403
    assert status(Host="evil.example", **own) == 403
    with httpx.Client(base_url=http.base_url, trust_env=False) as other:
        assert other.get(SOCKET.replace("websocket", "polling")).status_code == 401


def test_websockets_need_the_own_name(address: str) -> None:
    """DNS rebinding: the page's own name leads to this server, so its Origin fits its Host."""
    with httpx.Client(base_url=address, trust_env=False) as http:
        for host, status in (("evil.example", 403), (f"localhost:{http.base_url.port}", 101)):
            headers = {**UPGRADE, "Host": host, "Origin": f"http://{host}"}
            with http.stream("GET", SOCKET, headers=headers) as answer:
                assert answer.status_code == status


def test_pages_are_kept_from_framing_and_foreign_code(http: httpx.Client) -> None:
    signed_in(http, READ)
    for path in ("/", "/console/feed", "/console/nowhere"):
        headers = http.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert not re.search(r"https?:|\*", policy)
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    ["/console/nowhere", "/console/why?triple=(((", "/console/explore?term=%00", "/_nicegui/x", "/console/rows.exe"],
)
def test_no_traceback_leaves_the_process(path: str, http: httpx.Client) -> None:
    signed_in(http, READ)
    assert "Traceback" not in http.get(path).text
    assert 'File "' not in http.get(path).text


@pytest.mark.parametrize("path", PATHS)
def test_no_path_of_the_console_leads_out(path: str, http: httpx.Client) -> None:
    signed_in(http, READ)
    cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    leads_nowhere(http, f"GET {path} HTTP/1.1\r\nHost: localhost:{http.base_url.port}\r\nCookie: {cookie}\r\n")


def test_an_error_in_a_page_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kgreason.server.console.pages import query

    def fail(*_: object) -> None:
        raise RuntimeError("the secret of /srv/store")

    monkeypatch.setattr(query, "Frame", fail)
    with served(tmp_path / "store", console=True) as address, client(address) as http:
        answer = http.get("/")
    assert "the server has failed" in answer.text
    assert not any(each in answer.text for each in ("secret", "Traceback", 'File "'))


def enter(page: Page, token: str, path: str = "/") -> None:
    page.goto(path)
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.get_by_role("navigation").wait_for()


def test_a_reader_looks_ahead_and_cannot_commit(browser: Browser, guarded: str) -> None:
    with visiting(browser, guarded) as page:
        enter(page, READ, "/console/edit")
        assert page.url.endswith("/console/edit?") or page.url.endswith("/console/edit")
        write(page, "e:kit a e:Cat .")
        page.get_by_text("e:kit a e:Animal").wait_for()
        assert page.get_by_role("button", name="Commit").is_disabled()
        page.evaluate("document.querySelector('button.main').disabled = false")
        page.get_by_role("button", name="Commit").click()
        page.goto("/console/status")
        page.get_by_text("memory").wait_for()
        assert page.get_by_text("Slowest queries").count() == 0
        page.get_by_role("button", name="Sign out").click()
        page.get_by_label("Token").wait_for()
    with httpx.Client(base_url=guarded, trust_env=False) as http:
        signed_in(http, READ)
        assert http.post("/query", data={"query": "ASK { <http://e/kit> ?p ?o }"}).json()["boolean"] is False


def test_texts_of_the_graph_stay_texts(browser: Browser, guarded: str) -> None:
    with visiting(browser, guarded) as page:
        enter(page, ADMIN)
        for query in ("SELECT * { e:eve ?p ?o }", "CONSTRUCT { e:eve ?p ?o } WHERE { e:eve ?p ?o }"):
            write(page, query)
            page.keyboard.press("ControlOrMeta+Enter")
            page.get_by_text("<script>").first.wait_for()
            check(page)
        page.get_by_label("History of queries").select_option(index=1)
        for path, text in {
            "/console/explore?term=e:eve": "<script>",
            f"/console/explore?term={EVIL}": "<script>",
            f"/console/why?triple=<http://e/eve> <http://e/name> '''{EVIL}'''": "<script>",
            "/console/contradictions": "disjoint",
        }.items():
            page.goto(path)
            page.get_by_text(text).first.wait_for()
            check(page)
        page.goto("/console/edit")
        write(page, f"e:new e:name '''{EVIL}''' . e:new a e:Cat .")
        page.get_by_text("e:new a e:Animal").wait_for()
        check(page)
        page.get_by_role("button", name="Commit").click()
        page.get_by_text("is saved:").wait_for()
        page.goto("/console/feed")
        page.get_by_text("<script>").first.wait_for()
        check(page)


def check(page: Page) -> None:
    """Nothing of the graph became an element."""
    page.wait_for_timeout(150)
    assert page.title() != "owned"
    assert page.locator("img[src=x]").count() == 0


def test_the_console_can_be_left_out(tmp_path: Path) -> None:
    with serving(tmp_path / "store", "--no-console") as address:
        assert httpx.get(f"{address}/", trust_env=False).status_code == 404
        assert httpx.get(f"{address}/health", trust_env=False).status_code == 200


def test_too_many_pages_are_refused_and_the_paths_go_on(tmp_path: Path) -> None:
    with serving(tmp_path / "store") as address, httpx.Client(base_url=address, trust_env=False, timeout=60) as http:
        statuses = [http.get("/console/feed").status_code for _ in range(310)]
        assert statuses[0] == 200
        assert statuses[-1] == 503
        assert http.get("/query?query=ASK{}").status_code == 200
