"""Who may ask: names of the server, origins, tokens and roles; what may not be asked."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from kgreason.errors import InputError
from tests.server.conftest import ZOO
from tests.server.limits.unguarded import GUARDS, file_of
from tests.server.serving import client, served

from kgreason.server.operation.tokens import read_tokens  # isort: skip
from kgreason.server.paths.query import check_service  # isort: skip
from kgreason.server.problems import Problem  # isort: skip
from kgreason.server.settings import Settings, host_and_port  # isort: skip
from tests.tables import table

READ, WRITE, ADMIN = "r" * 16, "w" * 16, "a" * 16


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server with tokens, a name and an origin."""
    tokens = {READ: "read", WRITE: "write", ADMIN: "admin"}
    options: dict[str, Any] = {"tokens": tokens, "names": ("graph.example",), "origins": ("https://app.example",)}
    store = tmp_path_factory.mktemp("guarded") / "store"
    with served(store, text=ZOO, **options) as address, client(address) as found:
        yield found


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def edit(http: httpx.Client, **headers: str) -> httpx.Response:
    return http.post("/update", data={"update": "INSERT DATA { <e:a> <e:b> <e:c> }"}, headers=headers)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7878", "", "localhost.evil.example", "127.0.0.1.evil"])
def test_another_name_is_refused(host: str, http: httpx.Client) -> None:
    assert http.get("/query", params={"query": "ASK {}"}, headers={"Host": host}).status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1:7878", "[::1]:80", "LOCALHOST"])
def test_names_of_the_loopback_are_served(host: str, http: httpx.Client) -> None:
    assert http.get("/query", params={"query": "ASK {}"}, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "http://localhost:7878"])
def test_pages_of_other_origins_are_refused(origin: str, http: httpx.Client) -> None:
    assert edit(http, Origin=origin).status_code == 403
    assert http.get("/query", params={"query": "ASK {}"}, headers={"Origin": origin}).status_code == 403


def test_pages_of_the_server_itself_are_served(http: httpx.Client) -> None:
    assert edit(http, Origin=str(http.base_url).rstrip("/")).status_code == 204


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("purpose", ["image", "script", "iframe", "empty"])
def test_parts_of_other_pages_are_refused(site: str, purpose: str, http: httpx.Client) -> None:
    """Browsers send no Origin for an image or a frame, but the server would evaluate the query."""
    part = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": purpose}
    assert http.get("/query?query=ASK{}", headers=part).status_code == 403
    link = part | {"Sec-Fetch-Dest": "document"}
    assert http.get("/query?query=ASK{}", headers=link).status_code == 200
    own = part | {"Sec-Fetch-Site": "same-origin"}
    assert http.get("/query?query=ASK{}", headers=own).status_code == 200


def test_an_origin_can_be_allowed(guarded: httpx.Client) -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "PUT"}
    preflight = guarded.options("/store", headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "https://app.example"
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    answer = guarded.get("/query?query=ASK{}", headers=bearer(READ) | {"Origin": "https://app.example"})
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    other = guarded.options("/store", headers=asked | {"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers
    assert other.status_code == 403


@pytest.mark.parametrize(
    "headers", [{}, bearer("x" * 16), {"Authorization": f"Basic {READ}"}, {"Authorization": "Bearer"}]
)
@pytest.mark.parametrize("path", ["/query?query=ASK{}", "/store?default", "/update", "/nowhere"])
def test_without_a_token_nothing_is_told(headers: dict[str, str], path: str, guarded: httpx.Client) -> None:
    answer = guarded.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer, Basic realm="kgreason", charset="UTF-8"'
    assert not any(token in answer.text for token in (READ, WRITE, ADMIN))
    assert ("does not know the token" in answer.json()["detail"]) == bool(headers)


def test_every_path_needs_a_token(guarded: httpx.Client) -> None:
    described = guarded.get("/openapi.json", headers=bearer(READ)).json()["paths"]
    assert {"/query", "/update", "/metrics", "/openapi.json"} <= described.keys()
    for path, methods in described.items():
        for method in methods:
            assert guarded.request(method, path).status_code == (200 if path == "/health" else 401), (method, path)


def test_a_role_may_do_what_it_says(guarded: httpx.Client) -> None:
    assert guarded.get("/query?query=ASK{}", headers=bearer(READ)).status_code == 200
    assert edit(guarded, **bearer(READ)).status_code == 403
    assert edit(guarded, **bearer(WRITE)).status_code == 204
    assert edit(guarded, **bearer(ADMIN)).status_code == 204
    for method in ("PUT", "POST", "DELETE"):
        assert guarded.request(method, "/store?default", headers=bearer(READ)).status_code == 403


SERVICES = [
    "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
    "SELECT * { service silent <http://127.0.0.1:1/> {} }",
    "SELECT * { { SELECT * { SERVICE ?x {} } } }",
    "PREFIX SERVICE: <http://e/> SELECT * { #'\n SERVICE SERVICE:a {} }",
]


@pytest.mark.parametrize("sparql", SERVICES)
def test_service_is_refused(sparql: str, http: httpx.Client) -> None:
    assert http.post("/query", data={"query": sparql}).status_code == 403
    update = "INSERT { <e:a> <e:a> <e:a> } WHERE { SERVICE <http://127.0.0.1:1/> {} }"
    assert http.post("/update", data={"update": update}).status_code == 403


@pytest.mark.parametrize("source", ["file:///etc/passwd", "file:///etc/passwd> INTO GRAPH <e:g", "http://127.0.0.1:1/"])
@pytest.mark.parametrize("silent", ["", "SILENT "])
def test_load_is_refused(source: str, silent: str, http: httpx.Client) -> None:
    answer = http.post("/update", data={"update": f"LOAD {silent}<{source}>"})
    is_nothing = silent and source.startswith("http")
    assert answer.status_code in ((204,) if is_nothing else (400, 403))
    assert "root:" not in answer.text


def test_load_reads_what_is_allowed(tmp_path: Path) -> None:
    allowed, secret = tmp_path / "allowed", tmp_path / "secret.ttl"
    allowed.mkdir()
    (allowed / "a.ttl").write_text("<http://e/a> <http://e/b> <http://e/c> .")
    secret.write_text("<http://e/x> <http://e/y> <http://e/z> .")
    (allowed / "link.ttl").symlink_to(secret)
    beside = tmp_path / "allowed-secret"
    beside.mkdir()
    for folder in (beside, tmp_path):
        (folder / "one.ttl").write_text("<http://e/a> <http://e/b> <http://e/c> .")
    (tmp_path / "one.ttl-secret").write_text("")
    one = (tmp_path / "one.ttl").as_uri()
    loads = (f"{allowed.as_uri()}/", one)
    beyond = (("../one.ttl", 204), ("../one.ttl-secret", 403), ("../allowed-secret/one.ttl", 403))
    with served(tmp_path / "store", loads=loads) as address, client(address) as http:
        for path, status in (
            ("a.ttl", 204),
            ("../secret.ttl", 403),
            ("%2e%2e/secret.ttl", 403),
            ("link.ttl", 403),
            *beyond,
        ):
            answer = http.post("/update", data={"update": f"LOAD <{allowed.as_uri()}/{path}>"})
            assert answer.status_code == status, path


@pytest.mark.parametrize("loads", [("{}",), ("/data",), ("http://e/",), ("",)])
def test_a_prefix_of_files_ends_in_a_slash_or_names_a_file(loads: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--allow-load"):
        Settings(tmp_path, loads=tuple(each.format(tmp_path.as_uri()) for each in loads)).check()


@pytest.mark.parametrize("origin", ["https://e.org/", "e.org", "https://E.org", "https://a@e.org", ""])
def test_an_origin_is_written_as_browsers_write_it(origin: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--cors"):
        Settings(tmp_path, origins=(origin,)).check()


def test_every_answer_protects_browsers(http: httpx.Client) -> None:
    for path in ("/query?query=ASK{}", "/nowhere", "/query?query=x"):
        headers = http.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_other_machines_need_a_token_file_or_public() -> None:
    store = Path("store")
    for host in ("0.0.0.0", "::", "192.168.1.1", "example.org"):
        with pytest.raises(InputError, match="--token-file"):
            Settings(store, host).check()
        Settings(store, host, is_public=True).check()
        Settings(store, host, tokens={READ: "read"}).check()
    Settings(store).check()


@table("text", ["7878", "localhost", "localhost:x", ":1", "a:70000", "a:-1", "a:²"])
def test_an_address_that_is_none_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="HOST:PORT"):
        host_and_port(text)


def test_tokens_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# people\n\nread {READ}\n  admin\t{ADMIN}  ann@example.org\n")
    assert read_tokens(file) == ({READ: "read", ADMIN: "admin"}, {ADMIN: "ann@example.org"})
    wrong = (f"root {READ}", f"{READ}", f"read {READ} x y", f"read {READ} \x1b[1m", f"read {READ}\nadmin {READ}")
    for text in ("", "read short", *wrong):
        file.write_text(text)
        with pytest.raises(InputError) as error:
            read_tokens(file)
        assert READ not in str(error.value)
    with pytest.raises(InputError, match="No such file"):
        read_tokens(tmp_path / "none")


@pytest.mark.parametrize(
    "service",
    ["<http://e.org.evil/>", "?x", "e:x", "<http://e.org>", "# <http://e.org/>\n <http://evil/>", "SILENT <x>"],
)
def test_only_allowed_services_are_asked(service: str) -> None:
    with pytest.raises(Problem, match="SERVICE is refused"):
        check_service(f"PREFIX e: <http://e.org/> SELECT * {{ SERVICE {service} {{ ?a ?b ?c }} }}", ("http://e.org/",))
    with pytest.raises(InputError, match="slash"):
        Settings(Path("store"), services=("http://e.org",)).check()


def test_the_text_of_each_guard_is_in_its_module_once() -> None:
    """So `unguarded` can take it out."""
    texts = {guard.module: source(f"kgreason.{guard.module}") for guard in GUARDS}
    assert [guard.test for guard in GUARDS if texts[guard.module].count(guard.text) != 1] == []


def test_the_test_of_each_guard_is_in_one_file() -> None:
    assert {file_of(guard.test).suffix for guard in GUARDS} == {".py"}


def source(module: str) -> str:
    found = find_spec(module)
    assert found
    assert found.origin
    return Path(found.origin).read_text("utf-8")
