"""Short texts that would freeze the server, end its process or fill its memory; and files that a kill leaves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from kgreason.errors import InputError
from kgreason.server.queries import nesting
from tests.graph.values.test_builtins import HEADER, atom, implication
from tests.server.conftest import ZOO
from tests.server.limits.test_limits import TURTLE, UPDATE, added, is_well, process_of
from tests.server.serving import client, served

from kgreason.server.body import empty_folder, folder_of, new_file  # isort: skip


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server that is a process of its own."""
    with process_of(tmp_path_factory.mktemp("alone") / "store") as (process, http):
        yield http
        try:
            http.get("/health", timeout=10)
        except httpx.HTTPError:
            process.kill()  # it is frozen, and SIGTERM would do nothing


def test_a_pattern_that_backtracks_freezes_nobody(alone: httpx.Client) -> None:
    rule = HEADER + implication("r", atom("r", ":c"), ':c :a "(a+)+b"', "tokenize", "a")
    answer = alone.post("/what-if", content=f'{rule} :s :a "{"a" * 60}" .', headers=TURTLE, timeout=30)
    assert answer.status_code == 200
    assert is_well(alone)


LONG: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: f"FILTER({'(' * n}true{')' * n})",
    "or": lambda n: f"FILTER({'||'.join(['true'] * n)})",
    "times": lambda n: f"BIND({'*'.join(['1'] * n)} AS ?z)",
    "steps": lambda n: f"?s {'/'.join(['<e:p>'] * n)} ?o",
    "alternatives": lambda n: f"?s {'|'.join(['<e:p>'] * n)} ?o",
    "patterns": lambda n: " ".join(f"?s{each} <e:p> ?s{each + 1} ." for each in range(n)),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_text_does_not_end_the_server(name: str, alone: httpx.Client) -> None:
    """It is refused, or takes too long, or has an answer. Before, the stack was too small for it."""
    where = LONG[name](16_000)
    for path in ("/what-if", "/update"):
        answer = alone.post(path, content=f"INSERT {{ <e:a> <e:b> <e:c> }} WHERE {{ {where} }}", headers=UPDATE)
        assert answer.status_code in (200, 204, 400, 504), answer.text
    asked = alone.post("/query", data={"query": f"SELECT * {{ {where} }}"})
    assert asked.status_code in (200, 400, 504), asked.text
    assert is_well(alone)


def nested(name: str, depth: int) -> str:
    """A pattern that keeps Oxigraph's parser busy twice as long for each level of nesting."""
    if name == "SELECT":
        return "{ SELECT (COUNT(*) AS ?c) { " * depth + "?s ?p ?o" + " } HAVING(?c > 1) }" * depth
    call = name + "("
    return f"?s ?p ?o FILTER({call * depth}?o{_ENDS[name] * depth} = 'a')"


_ENDS = {"REPLACE": ', "a", "b")', "REGEX": ', "a")', "SUBSTR": ", 1)", "!": " = 1, 1)"}
"""What ends a call. After `!` it is a syntax error: before one, the parser reads twice what `!` has."""


@pytest.mark.parametrize(("name", "depth"), [("SELECT", 20), ("REPLACE", 60), ("REGEX", 20), ("SUBSTR", 60), ("!", 60)])
def test_calls_in_calls_do_not_keep_the_parser_busy(name: str, depth: int, alone: httpx.Client) -> None:
    """They are refused before the process that serves the others reads them."""
    where = nested(name, depth)
    for path in ("/what-if", "/update"):
        answer = alone.post(path, content=f"INSERT {{ <e:a> <e:b> ?s }} WHERE {{ {where} }}", headers=UPDATE)
        assert answer.status_code in (400, 504), answer.text
        assert is_well(alone)
    answer = alone.get("/subscribe", params={"query": f"SELECT * {{ {where} }}"})
    assert answer.status_code in (400, 504), answer.text
    if name != "SELECT":
        rule = f"r(?s) :- [?s, ?p, ?o], {where.partition('?o ')[2]} ."
        answer = alone.post("/what-if", content=rule, headers={"Content-Type": "text/x-kgreason-rules"})
        assert answer.status_code == 400
        assert "are in one another; bind the result of the inner ones first" in answer.json()["detail"]
    assert is_well(alone)


def test_a_text_may_take_the_parser_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    query = f"SELECT * {{ {nested('SUBSTR', 14)} }}"
    assert nesting.may_be_deep(query)
    assert nesting.problem_of_text("query", query, "", "") is None
    monkeypatch.setattr(nesting, "_SECONDS", 0.01)
    message = nesting.problem_of_text("query", query, "", "")
    assert message == "the text takes the parser too long: it has too many calls or SELECTs in one another"
    assert nesting.problem_of_text("query", "SELECT * { ?s ?p ?o }", "", "") is None


def test_many_patterns_beside_each_other_take_the_planner_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser reads them fast, and the message says so. Nothing of Oxigraph ends in another thread."""
    wrong: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", wrong.append)
    query = f"SELECT * {{ {' '.join(f'?s <e:p{each}> ?o{each} .' for each in range(50))} }}"
    assert nesting.may_be_deep(query)
    assert nesting.problem_of_text("query", query, "", "") is None
    monkeypatch.setattr(nesting, "_SECONDS", 0.03)
    message = nesting.problem_of_text("query", query, "", "")
    assert "takes Oxigraph too long, even without a triple: it has too many triple patterns" in str(message)
    assert not wrong


def test_a_text_is_refused_by_its_tokens(alone: httpx.Client) -> None:
    where = LONG["or"](33_000)
    for path, data in (
        ("/query", {"query": f"ASK {{ {where} }}"}),
        ("/update", {"update": f"DELETE {{}} WHERE {{ {where} }}"}),
    ):
        answer = alone.post(path, data=data)
        assert answer.status_code == 400
        assert "the text is too long" in answer.json()["detail"]
    assert added(alone, 1)


def test_a_document_that_expands_is_refused(alone: httpx.Client) -> None:
    """Expat does not count default attributes."""
    text = (
        f"<!DOCTYPE x [<!ATTLIST e:p e:q CDATA '{'x' * 10_000}'>]>"
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description>'
        f"{'<e:p/>' * 1_000}</rdf:Description></rdf:RDF>"
    )
    answer = alone.put("/store?graph=http://e/x", content=text, headers={"Content-Type": "application/rdf+xml"})
    assert answer.status_code == 400
    assert "expand to far more text than the document has" in answer.json()["detail"]


def test_a_form_to_sign_in_is_short(alone: httpx.Client) -> None:
    assert alone.post("/console/sign-in", data={"token": "x" * (1 << 20)}).status_code == 413


def test_bodies_that_a_kill_has_left_are_removed(tmp_path: Path) -> None:
    own, other = folder_of(tmp_path / "store"), folder_of(tmp_path / "other")
    assert own != other
    with empty_folder(tmp_path / "other"):
        (other / "body").touch()
        own.mkdir()
        (own / "left").touch()
        with served(tmp_path / "store", text=ZOO) as address, client(address) as http:
            assert list(own.iterdir()) == []
            assert http.post("/store?default", content="<http://e/a> a <http://e/Cat> .", headers=TURTLE).is_success
            assert list(own.iterdir()) == []
            document = "<http://e/b> a <http://e/Cat> ."
            for how in ({"content": document, "headers": TURTLE}, {"files": {"a": ("a.ttl", document, "text/turtle")}}):
                own.rmdir()  # as cleaners of old files do
                assert http.post("/store?default", **how).is_success
                assert (list(own.iterdir()), own.stat().st_mode & 0o777) == ([], 0o700)
        assert not own.exists()
        assert (other / "body").exists()
    assert not other.exists()


def test_a_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path / "store")
    folder.symlink_to(tmp_path)
    try:
        with (
            pytest.raises(InputError, match="the server keeps the bodies of requests there"),
            empty_folder(tmp_path / "store"),
        ):
            pass
        new_file(tmp_path / "store").close()
        monkeypatch.setattr("os.geteuid", lambda: -1)
        with pytest.raises(InputError, match="it belongs to another user"), empty_folder(tmp_path / "store"):
            pass
        with pytest.raises(PermissionError, match="it belongs to another user"):  # somebody has exchanged it
            new_file(tmp_path / "store")
    finally:
        folder.unlink()
