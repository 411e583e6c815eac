"""Each role on each path: what it may do, and what it may not."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.server.limits.test_guard import ADMIN, READ, WRITE, bearer, guarded  # noqa: F401 - a fixture

TOKENS = {"read": READ, "write": WRITE, "admin": ADMIN}
WRITES = {"post /update", "post /transactions", "post /revert"} | {
    f"{method} {path}" for method in ("put", "post", "delete") for path in ("/store", "/store/{graph}")
}
ADMINS = {"get /slow-queries", "head /slow-queries", "post /rules", "delete /rules", "get /backup", "head /backup"} | {
    f"{method} /shapes" for method in ("put", "post", "delete")
}


def requests(http: httpx.Client) -> Iterator[tuple[str, str]]:
    """All methods and paths that the server describes, but for those that need no token."""
    for path, methods in http.get("/openapi.json", headers=bearer(READ)).json()["paths"].items():
        if path != "/health":
            yield from ((method, path) for method in methods)


def status(http: httpx.Client, method: str, path: str, role: str) -> int:
    """The status of a request that, if it is allowed, asks for nothing that is there."""
    address = path.replace("{graph}", "none").replace("{name}", "none").replace("{number}", "0")
    params = {"graph": "http://e/none"} if path == "/store" else {}
    with http.stream(method, address, params=params, headers=bearer(TOKENS[role])) as answer:
        return answer.status_code


@pytest.mark.parametrize("role", TOKENS)
def test_a_role_may_do_what_it_says_on_every_path(role: str, guarded: httpx.Client) -> None:  # noqa: F811 - the fixture
    seen = set()
    for method, path in requests(guarded):
        seen.add(name := f"{method} {path}")
        needed = "admin" if name in ADMINS else "write" if name in WRITES else "read"
        is_allowed = list(TOKENS).index(role) >= list(TOKENS).index(needed)
        found = status(guarded, method, path, role)
        assert (found not in (401, 403)) if is_allowed else (found == 403), (name, found)
    assert seen >= WRITES | ADMINS


def test_rules_need_the_role_admin_on_every_path(guarded: httpx.Client) -> None:  # noqa: F811 - the fixture
    lines = {"Content-Type": "application/x-ndjson"}
    shapes = '{"add_shapes": "<http://e/s> <http://e/p> <http://e/o> ."}', '{"remove_shapes": null}'
    for edit in ('{"add_rules": "p(?x) :- q(?x) ."}', '{"remove_rules": "p(?x) :- q(?x) ."}', *shapes):
        answer = guarded.post("/transactions", content=edit, headers=bearer(WRITE) | lines)
        assert answer.status_code == 403, answer.text
        assert guarded.post("/transactions", content=edit, headers=bearer(ADMIN) | lines).status_code != 403


RULE = """PREFIX : <http://e/> PREFIX swrl: <http://www.w3.org/2003/11/swrl#>
    INSERT DATA { :x a swrl:Variable . :rule a swrl:Imp ; swrl:body :cell ; swrl:head (
        [ a swrl:ClassAtom ; swrl:classPredicate :Named ; swrl:argument1 :x ] ) .
    :cell rdf:first [ a swrl:ClassAtom ; swrl:classPredicate :Cat ; swrl:argument1 :x ] ; rdf:rest () }"""


def test_rules_as_triples_need_the_role_admin_too(guarded: httpx.Client) -> None:  # noqa: F811 - the fixture
    """SWRL rules are triples. A writer may try one, but not assert, change or take one away; other edits go on."""
    rule = RULE.replace("PREFIX :", "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX :", 1)
    turtle = {"Content-Type": "text/turtle"}
    imp = "<http://e/r> a <http://www.w3.org/2003/11/swrl#Imp> ."
    line = json.dumps({"add": imp.replace(" a ", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ")})

    def update(text: str, role: str) -> int:
        return guarded.post("/update", data={"update": text}, headers=bearer(TOKENS[role])).status_code

    commit = guarded.get("/health").json()["commit"]
    assert update(rule, "write") == 403
    assert guarded.post("/store?default", content=imp, headers=bearer(WRITE) | turtle).status_code == 403
    lines = {"Content-Type": "application/x-ndjson"}
    assert guarded.post("/transactions", content=line, headers=bearer(WRITE) | lines).status_code == 403
    kind = "<http://e/Mine> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://www.w3.org/2003/11/swrl#Imp>"
    assert update(f"INSERT DATA {{ {kind} }}", "write") == 403
    assert guarded.get("/health").json()["commit"] == commit
    assert guarded.post("/what-if", data={"update": rule}, headers=bearer(READ)).status_code == 200
    assert update(rule, "admin") == 204
    shorter = "DELETE WHERE { <http://e/cell> <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ?x }"
    assert update(shorter, "write") == 403
    first = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
    assert update(f"INSERT DATA {{ <http://e/cell> {first} <http://e/c> }}", "write") == 403
    for each in ("INSERT", "DELETE"):
        assert update(f"{each} DATA {{ <http://e/mine> {first} <http://e/c> }}", "write") == 204
    assert update("INSERT DATA { <http://e/a> <http://e/b> <http://e/c> }", "write") == 204
    assert update("DELETE WHERE { <http://e/rule> ?p ?x }", "write") == 403
    assert update("DELETE WHERE { <http://e/rule> ?p ?x }", "admin") == 204
