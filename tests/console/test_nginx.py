"""Behind nginx, below a path: streams, uploads, the console, and pages that ask with fetch and EventSource."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.console.browsing import visiting
from tests.console.proxied import READ, WRITE, Proxy, proxied

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TURTLE = {"Content-Type": "text/turtle"}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with proxied(tmp_path_factory.mktemp("nginx")) as found:
        yield found


@pytest.fixture
def http(proxy: Proxy) -> Iterator[httpx.Client]:
    head = {"Authorization": f"Bearer {WRITE}"}
    with httpx.Client(base_url=proxy.address, trust_env=False, timeout=60, headers=head) as found:
        yield found


def insert(http: httpx.Client, name: str) -> httpx.Response:
    return http.post("/update", data={"update": f"INSERT DATA {{ <http://e/{name}> a <http://e/Cat> }}"})


@pytest.mark.parametrize("accept", ["text/event-stream", "application/rdf-patch"])
def test_a_commit_reaches_a_stream_at_once(http: httpx.Client, accept: str) -> None:
    """nginx holds nothing back: the stream has no more to send for 15 seconds, and its buffer is not full."""
    with http.stream("GET", "/changes", headers={"Accept": accept}, timeout=10) as stream:
        lines = stream.iter_lines()
        assert "following" in next(lines) + next(lines) if "event" in accept else next(lines)
        insert(http, f"streamed-{accept[:4]}").raise_for_status()
        assert any("streamed" in line for line in lines)


def test_a_standing_query_tells_its_rows_at_once(http: httpx.Client) -> None:
    with http.stream("GET", "/subscribe", params={"query": "SELECT ?x { ?x a <http://e/Cat> }"}, timeout=10) as stream:
        lines = stream.iter_lines()
        assert any("<http://e/tom>" in line for line in lines)
        insert(http, "standing").raise_for_status()
        assert any("<http://e/standing>" in line for line in lines)


def test_a_large_upload_goes_through(http: httpx.Client, proxy: Proxy) -> None:
    text = f"<http://e/large> <http://e/p> <#end> . # {'x' * (1 << 22)}"  # nginx takes 1 MB by default
    answer = http.put("/store/large", content=text, headers=TURTLE)
    assert (answer.status_code, answer.headers["kgreason-asserted"]) == (201, "1")
    assert len(answer.headers["x-request-id"]) == 32
    name = f"{proxy.address}/store/large"
    query = f"ASK {{ GRAPH <{name}> {{ <http://e/large> ?p <{name}#end> }} }}"
    assert http.post("/query", data={"query": query}).json()["boolean"]


def test_addresses_are_those_of_the_proxy(http: httpx.Client, proxy: Proxy) -> None:
    made = http.post("/store", content="<http://e/a> <http://e/b> 1 .", headers=TURTLE)
    assert made.headers["location"].startswith(f"{proxy.address}/store/")
    assert http.get(made.headers["location"]).status_code == 200
    assert http.get("/openapi.json").json()["servers"] == [{"url": "/kg"}]


def test_the_console_works_below_a_path(browser: Browser, proxy: Proxy, http: httpx.Client) -> None:
    """`visiting` fails if the page asks for anything outside of the path."""
    http.put("/store/offered", content="<http://e/a> <http://e/p> 1 .", headers=TURTLE).raise_for_status()
    with visiting(browser, proxy.address) as page:
        page.goto(proxy.address + "/")
        page.get_by_label("Token").fill(WRITE)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("navigation").get_by_role("link", name="Explore").click()
        page.wait_for_url(f"{proxy.address}/console/explore")
        page.wait_for_selector("datalist option", state="attached")
        page.get_by_label("Term", exact=True).fill("http://e/tom")
        page.get_by_role("button", name="Explore").click()
        page.get_by_role("link", name="why?").first.click()
        page.wait_for_url(f"{proxy.address}/console/why?*")
        page.get_by_role("navigation").get_by_role("link", name="Feed").click()
        page.get_by_role("heading", name="Feed").wait_for()
        number = insert(http, "fed").headers["kgreason-commit"]
        page.get_by_label(f"Commit {number}", exact=True).wait_for()
        heard = page.evaluate(
            """() => new Promise((heard) => {
                const source = new EventSource("/kg/changes?after=0");
                source.addEventListener("commit", (event) => { source.close(); heard(event.data); });
                source.onerror = () => heard("error");
            })"""
        )
        assert json.loads(heard)["commit"] >= 1  # the cookie of the session is enough for a page of the same origin
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{proxy.address}/console/sign-in")


FOLLOW = """
async ([address, token]) => {
    const { Graph } = await import("./kgreason.js");
    const graph = new Graph(address, token);
    window.commits = [];
    window.graph = graph;
    window.end = graph.follow((commit) => window.commits.push(commit), { after: 0 });
    const rows = await graph.select("SELECT ?x { ?x a <http://e/Animal> FILTER(?x = <http://e/tom>) }");
    return rows.map((row) => row.x.value);
}
"""
UPDATE = "(name) => window.graph.update(`INSERT DATA { <http://e/${name}> a <http://e/Cat> }`)"


def test_a_page_of_another_origin_asks_edits_and_follows(browser: Browser, proxy: Proxy) -> None:
    """The module is that of the documentation; `Graph.follow` gets a ticket for its EventSource."""
    asked: list[str] = []
    with elsewhere(browser, proxy, asked) as page:
        assert page.evaluate(FOLLOW, [proxy.address, WRITE]) == ["http://e/tom"]
        number = page.evaluate(UPDATE, "page")
        page.wait_for_function("(number) => window.commits.some((each) => each.commit === number)", arg=number)
        commits = page.evaluate("() => window.commits")
        numbers = [each["commit"] for each in commits]
        assert numbers == list(range(numbers[0], number + 1))
        assert commits[-1]["author"] == "ann"
        assert commits[-1]["appeared"]["asserted"][0][0] == "<http://e/page>"
        page.evaluate("() => window.end()")
    assert any("ticket=" in each for each in asked)
    assert not any(token in each for each in asked for token in (READ, WRITE))


def test_a_page_with_the_role_read_gets_the_message(browser: Browser, proxy: Proxy) -> None:
    with elsewhere(browser, proxy, []) as page:
        page.evaluate(FOLLOW, [proxy.address, READ])
        wrong = "() => new Promise((fail) => window.graph.follow(() => 0, { after: 999, fail }))"
        assert page.evaluate(f"({wrong})().then((error) => error.message)").startswith("there is no commit 999")
        told = page.evaluate(f"(name) => ({UPDATE})(name).catch((error) => error.message)", "refused")
        assert told == "the token has the role read, and this request needs the role write"


class elsewhere:  # noqa: N801
    """A page of another origin than the server; the addresses that it asks for are put into `asked`."""

    def __init__(self, browser: Browser, proxy: Proxy, asked: list[str]) -> None:
        self.context = browser.new_context()
        self.proxy, self.asked = proxy, asked

    def __enter__(self) -> Any:
        page = self.context.new_page()
        page.on("request", lambda each: self.asked.append(each.url))
        page.goto(f"{self.proxy.other}/page.html")
        return page

    def __exit__(self, *_: object) -> None:
        self.context.close()
