"""Headers: lists on several lines, compressed answers."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import httpx
import pytest

from tests.server.serving import client, served

GZIP, PLAIN = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "identity"}


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server of some hundred triples."""
    text = "".join(f"<http://e/{each}> <http://e/p> {each} .\n" for each in range(300))
    store = tmp_path_factory.mktemp("served") / "store"
    with served(store, rules="rdfs", text=text) as address, client(address) as found:
        yield found


def test_several_lines_of_a_list_are_one_list(http: httpx.Client) -> None:
    lines = [("Accept", "image/png"), ("Accept", "text/csv;q=0.5"), ("Accept", "text/tab-separated-values")]
    answer = http.get("/query?query=SELECT*{}", headers=lines)
    assert answer.headers["content-type"].startswith("text/tab-separated-values")


@pytest.mark.parametrize("name", ["Content-Type", "Authorization", "Origin"])
def test_a_header_with_one_value_is_not_given_twice(http: httpx.Client, name: str) -> None:
    assert http.post("/query", content="ASK{}", headers=[(name, "a"), (name, "b")]).status_code == 400


def test_answers_are_compressed_when_asked(http: httpx.Client) -> None:
    """The compressed answer has the same bytes, says so, varies, and has a strong tag of its own."""
    for path in ("/store?default&inferred=true", "/dump", "/openapi.json", "/query?query=SELECT*{?s%20?p%20?o}"):
        plain, packed = http.get(path, headers=PLAIN), http.get(path, headers=GZIP)
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip", path
        assert "Accept-Encoding" in packed.headers["vary"]
        assert "Accept-Encoding" in plain.headers["vary"]
        assert packed.text == plain.text
        assert packed.headers.get("etag", "").replace("-gzip", "") == plain.headers.get("etag", "")
        assert packed.headers.get("etag", "1") != plain.headers.get("etag", "2")
        head = http.head(path, headers=GZIP)
        assert (head.headers["content-encoding"], head.content) == ("gzip", b"")


def test_a_tag_of_a_compressed_answer_is_a_tag_of_the_graph(http: httpx.Client) -> None:
    path = "/store?default&inferred=true"
    tag = http.get(path, headers=GZIP).headers["etag"]
    same = http.get(path, headers=GZIP | {"If-None-Match": tag})
    assert (same.status_code, same.headers["etag"]) == (304, tag)
    assert "content-encoding" not in same.headers
    update = {"Content-Type": "application/sparql-update", "If-Match": tag}
    assert http.post("/update", content="INSERT DATA {}", headers=update).status_code == 204


@pytest.mark.parametrize("refused", ["gzip;q=0, *", "identity", "", "br", "gzip;q=x"])
def test_gzip_may_be_refused(http: httpx.Client, refused: str) -> None:
    assert "content-encoding" not in http.get("/openapi.json", headers={"Accept-Encoding": refused}).headers


def test_short_answers_and_streams_are_not_compressed(http: httpx.Client) -> None:
    assert "content-encoding" not in http.get("/health", headers=GZIP).headers
    for accept in ("text/event-stream", "application/rdf-patch"):
        with http.stream("GET", "/changes", headers=GZIP | {"Accept": accept}) as stream:
            assert stream.headers["x-accel-buffering"] == "no"
            assert "content-encoding" not in stream.headers
            assert next(stream.iter_raw())
    with http.stream("GET", "/subscribe?query=ASK{}", headers=GZIP) as stream:
        assert stream.headers["x-accel-buffering"] == "no"
        assert "content-encoding" not in stream.headers


def test_a_compressed_body_is_whole(http: httpx.Client) -> None:
    with http.stream("GET", "/dump", headers=GZIP) as stream:
        body = b"".join(stream.iter_raw())
    assert gzip.decompress(body) == http.get("/dump", headers=PLAIN).content
