"""Requests of any method, path and headers: no answer is a 500, and methods, types and bodies are refused alike."""

from __future__ import annotations

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PATHS = [
    "/query",
    "/update",
    "/store",
    "/store/x",
    "/transactions",
    "/match",
    "/dump",
    "/relations",
    "/relations/x",
    "/what-if",
    "/explain",
    "/why-not",
    "/revert",
    "/rules",
    "/contradictions",
    "/triples",
    "/stats",
    "/status",
    "/slow-queries",
    "/commits",
    "/commits/1",
    "/commits/x",
    "/metrics",
    "/openapi.json",
    "/health",
    "/nowhere",
    "/store/",
    "/query/",
    "//update",
    "/%00",
    "/commits/%ff",
]
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO"]
NAMES = [
    "Accept",
    "If-Match",
    "If-None-Match",
    "Content-Type",
    "Accept-Encoding",
    "Content-Encoding",
    "Last-Event-ID",
    "Cache-Control",
]
VALUES = [
    "*",
    '"1"',
    'W/"1"',
    '"1-00000000.nt",W/"x"',
    "text/turtle",
    "text/csv;q=x",
    ";;;",
    ",",
    ",,",
    "*/*;q=0",
    "gzip;q=9e999",
    "multipart/form-data",
    "multipart/form-data;boundary=x",
    "application/x-www-form-urlencoded",
    "application/sparql-update",
    "application/x-ndjson",
    "text/x-kgreason-rules",
    "application/rdf+xml",
    "text/plain;charset=é",
    "-1",
    "1e9",
]
QUERIES = [
    "query=ASK{}",
    "graph=",
    "default",
    "graph=x",
    "limit=-1",
    "term=",
    "commit=9999999999",
    "as_of=1",
    "subject=%ff",
    "s=",
    "triple=<a>",
]

REQUESTS = st.tuples(
    st.sampled_from(METHODS),
    st.sampled_from(PATHS),
    st.lists(st.sampled_from(QUERIES), max_size=2),
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=4),
    st.sampled_from([b"", b"x", b"{}", b"\xff", b"--x--", b"ASK{}"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(each=REQUESTS)
def test_no_request_is_a_500(
    http: httpx.Client, each: tuple[str, str, list[str], list[tuple[str, str]], bytes]
) -> None:
    method, path, queries, headers, body = each
    lines = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    answer = http.request(method, f"{path}?{'&'.join(queries)}", headers=lines, content=body)
    assert answer.status_code < 500, (each, answer.text)
    if answer.status_code == 405:
        assert answer.headers["allow"]
    if method == "HEAD":
        assert not answer.content
    if answer.status_code >= 400 and method != "HEAD":
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_method_that_a_path_lacks_is_a_405_with_the_others(http: httpx.Client) -> None:
    for path, methods in http.get("/openapi.json").json()["paths"].items():
        address = path.replace("{number}", "1").replace("{graph}", "x").replace("{name}", "x")
        answer = http.request("PATCH", address)
        assert answer.status_code == 405
        told = {each.strip().lower() for each in answer.headers["allow"].split(",")}
        assert told == set(methods), path
