"""Edits as steps: they change a graph as their lines say, and no long line is parsed where edits wait."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, RdfSyntaxError
from kgreason.interrupts import watched
from kgreason.server.queries import steps
from kgreason.server.queries.steps import carry_out, check_lines
from kgreason.store.oxigraph import update
from tests.server.limits.test_guard import READ, bearer, guarded  # noqa: F401 - a fixture

LINES = {"Content-Type": "application/x-ndjson"}


def line_of(number: int) -> str:
    return f"<http://e/{number}> <http://e/p> <http://e/o> .\n"


def written(folder: Path, *edits: dict[str, Any] | str) -> Path:
    """The file of steps of these edits."""
    body, file = folder / "lines", folder / "steps"
    body.write_text("".join(f"{edit if isinstance(edit, str) else json.dumps(edit)}\n" for edit in edits))
    check_lines(body, file)
    return file


def test_edits_in_many_pieces_are_one_transaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_PIECE", 10)
    monkeypatch.setattr(steps, "_FACTS_OF_PIECE", 2)
    facts = [[f"<http://e/{number}>", f'"{number}"'] for number in range(5)]
    shapes = "".join(f"<http://e/S{number}> a <http://www.w3.org/ns/shacl#NodeShape> .\n" for number in range(5))
    shapes = shapes.replace(" a ", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ")
    file = written(
        tmp_path,
        {"add": "".join(map(line_of, range(5))), "prefixes": {"ex": "http://e/"}},
        {"remove": line_of(3)},
        {"add_rules": "@relation name(x, y) key(x) .\nq(?x) :- name(?x, ?y) ."},
        {"upsert": facts, "relation": "name"},
        {"delete": facts[:3], "relation": "name"},
        {"add_shapes": shapes},
        {"remove_shapes": ""},
    )
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            carry_out(tx, file)
        assert len(graph) == 4
        assert graph.prefixes["ex"] == "http://e/"
        assert len(graph.relation("q")) == 2
        assert len(list(graph.shapes.triples())) == 5
        with graph.transaction() as tx:
            carry_out(tx, written(tmp_path, {"remove_shapes": None}, {"remove_rules": "rule-1"}))
        assert not list(graph.shapes.triples())
        assert not len(graph.relation("q", 1))


def test_a_key_that_two_pieces_share_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_FACTS_OF_PIECE", 1)
    rows = [["<http://e/a>", '"1"'], ["<http://e/a>", '"2"']]
    declaration = "@relation name(x, y) key(x) ."
    file = written(tmp_path, {"add_rules": declaration}, {"upsert": rows, "relation": "name"})
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with pytest.raises(InputError, match="key"), graph.transaction() as tx:
            carry_out(tx, file)
        assert not graph.own_rules()


def test_the_line_of_a_mistake_counts_all_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_PIECE", 10)
    file = written(tmp_path, {"add": f"{line_of(1)}{line_of(2)}no triple\n"})
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with pytest.raises(RdfSyntaxError) as error, graph.transaction() as tx:
            carry_out(tx, file)
        assert error.value.line == 3
        assert not len(graph)


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        "{}",
        "no JSON",
        "[" * 100_000,
        '{"add": 1}',
        '{"insert": [["a"]]}',
        *(rf'{{"{verb}": "p(\ud800)"}}' for verb in ("add", "add_rules", "unload_rules", "add_shapes")),
        r'{"insert": [], "relation": "\uDFFF"}',
        r'{"add": "", "prefixes": {"\ud800": "http://e/"}}',
    ],
    ids=lambda line: line[:12],
)
def test_a_line_that_is_no_edit_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1 of the transaction is not"):
        written(tmp_path, line)


def test_a_character_may_be_written_as_two_halves(tmp_path: Path) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            carry_out(tx, written(tmp_path, {"add": '<http://e/a> <http://e/p> "\U0001f600" .'}))
        assert tx.delta.appeared() == [("<http://e/a>", "<http://e/p>", '"\U0001f600"')]


@pytest.mark.parametrize(
    "edit",
    [
        {"add": "".join(map(line_of, range(9)))},
        {"insert": [[f"<http://e/{number}>"] for number in range(9)], "relation": "r"},
        {"add_rules": "".join(f"q(?x) :- p{number}(?x) .\n" for number in range(9))},
    ],
    ids=["quads", "facts", "rules"],
)
def test_a_transaction_can_be_ended_between_its_pieces(
    edit: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "_PIECE", 10)
    monkeypatch.setattr(steps, "_FACTS_OF_PIECE", 1)
    file, looks = written(tmp_path, edit), [0]

    def look() -> None:
        looks[0] += 1
        if looks[0] == 5:
            raise TimeoutError

    with KnowledgeGraph.open(rules=["none"]) as graph:
        with pytest.raises(TimeoutError), watched(look), graph.transaction() as tx:
            carry_out(tx, file)
        assert not len(graph)


@pytest.mark.parametrize("path", ["/what-if", "/transactions"])
def test_no_line_is_parsed_in_the_thread_of_the_writer(
    path: str,
    guarded: httpx.Client,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A long body is not even parsed in this process, where parsing holds all threads up."""
    parse, parsed = json.loads, list[tuple[str, int]]()

    def noted(text: Any, **how: Any) -> Any:
        parsed.append((threading.current_thread().name, len(text)))
        return parse(text, **how)

    monkeypatch.setattr(json, "loads", noted)
    token = bearer(READ) if path == "/what-if" else bearer("w" * 16)
    for count in (1, 10_000):
        edit = json.dumps({"add": "".join(map(line_of, range(count)))})
        answer = guarded.post(path, content=edit, headers=LINES | token)
        assert answer.is_success, answer.text
    assert max(size for _, size in parsed) < 1 << 18
    assert all(thread != "kgreason writer" for thread, _ in parsed)


def test_a_mistake_in_a_long_body_is_told(guarded: httpx.Client) -> None:  # noqa: F811
    lines = json.dumps({"add": "".join(map(line_of, range(10_000)))})
    answer = guarded.post("/what-if", content=f"{lines}\n[]\n", headers=LINES | bearer(READ))
    assert (answer.status_code, "line 2 of the transaction" in answer.text) == (400, True)
