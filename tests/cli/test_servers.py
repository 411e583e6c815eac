"""Every command that takes `-l` prints the same for a folder and for a server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import Result

from kgreason import KnowledgeGraph
from kgreason.cli.commands import main
from tests.cli.calling import call, error_of, succeed
from tests.cli.conftest import FAMILY
from tests.server.serving import served

PREFIX = "@prefix : <http://example.org/> ."
RULE = f"{PREFIX} @rule sibling\n[?x, :sibling, ?y] :- [?x, :hasParent, ?z], [?y, :hasParent, ?z] ."
FILES = {
    "more.ttl": "@prefix : <http://example.org/> . :bob :hasParent :eve ; :hasName [ :is 'Bob' ] .",
    "bad.ttl": "@prefix : <http://example.org/> .\n:a :b .",
    "wrong.ttl": "@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    ":Person owl:disjointWith :Dog . :eve a :Dog . :q owl:onProperty [] .",
    "old.dl": f"{PREFIX}\n@relation near(a, b) key(a) .\n@rule old\n[?x, :isOld, ?x] :- [?x, :hasAge, ?y] .\n"
    "reach(?x, ?y) :- near(?x, ?y) .",
    "bad.dl": "nonsense",
    "near.csv": "a,b\n<urn:a>,<urn:b>\n<urn:b>,<urn:c>\n",
    "changes.ru": "PREFIX : <http://example.org/> INSERT DATA { :zoe :hasParent :ann } ; "
    "DELETE { ?x :hasAge ?y } WHERE { ?x :hasAge ?y }",
    "bad.ru": "INSERT DATA {\n :a :b :c }",
}
EX = ("--prefix", "=http://example.org/")
ANN = "<http://example.org/ann> <http://example.org/hasAncestor> <http://example.org/ida>"
WALK: list[tuple[str, ...]] = [
    ("query", "--query", "SELECT * { ?x <http://example.org/hasParent> ?y } ORDER BY ?x"),
    ("query", "--query", "SELECT ?x { ?x :hasAge ?y }", *EX, "--results-format", "table"),
    ("query", "--query", "ASK { ?x ?y 7 }", "--results-format", "json"),
    (
        "query",
        "--query",
        "CONSTRUCT { ?x <a:b> ?y } WHERE { ?x <http://example.org/hasName> ?y }",
        "--results-format",
        "ttl",
    ),
    ("query", "--query", "SELECT * { ?x ?y", "--timeout", "9"),
    ("query", "--query-file", "bad.ru"),
    ("query", "--query", "ASK {}", "--results-format", "ttl"),
    ("dump",),
    ("dump", "--asserted", "--format", "ttl", *EX),
    ("dump", "--inferred", "--format", "nq"),
    ("stats",),
    ("stats", "--json"),
    ("stats", "--rules"),
    ("profile", "rules"),
    ("profile", "rules", "--alone", "--json"),
    ("profile", "rules", "--anew", "--limit", "3"),
    ("explain", ANN),
    ("explain", ":ann :hasAncestor :ida", *EX, "--format", "mermaid"),
    ("explain", ANN, "--all", "--format", "json"),
    ("explain", ":ann :hasParent :zoe", *EX),
    ("explain", ":ann :hasParent", *EX),
    ("explain", ":ann a :Dog", *EX, "--why-not"),
    ("explain", ":zoe :hasAncestor :ida", *EX, "--why-not", "--format", "json", "--limit", "2"),
    ("check",),
    ("check", "--json"),
    ("classify", "--query", "hasParent some Person", *EX),
    ("classify", "--query", "Nobody", *EX),
    ("diff", "-f", "more.ttl", "--remove", "family.ttl"),
    ("diff", "-f", "wrong.ttl"),
    ("diff", "--update-file", "changes.ru", *EX),
    ("diff", "--update", "INSERT {"),
    ("rules", "list"),
    ("rules", "list", "--all", "--json"),
    ("load", "-f", "more.ttl"),
    ("load", "-f", "more.ttl", "--json"),
    ("load", "-f", "bad.ttl"),
    ("load", "-f", "none.ttl"),
    ("load", "-f", "more.ttl", "--rules", "rdfs"),
    ("load", "-f", "more.ttl", "--rules", "owl2rl", "--schema", "axioms", "-v"),
    ("load", "-f", "more.ttl", "--schema", "data"),
    ("load", "-f", "near.csv"),
    ("load", "-f", "more.ttl", "--format", "nonsense"),
    ("load", "-f", "wrong.ttl"),
    ("check",),
    ("check", "--json"),
    ("check", "--classes", *EX),
    ("classify", "--query", "Person and Dog", *EX, "--json"),
    ("unload", "-f", "more.ttl", "none.ttl"),
    ("unload", "-f", "wrong.ttl", "-v"),
    ("unload", "-f", "wrong.ttl"),
    ("update", "--update-file", "changes.ru", "--json"),
    ("update", "--update", "DELETE DATA { :ann :hasAncestor :ida . :no :no :no }", *EX),
    ("update", "--update-file", "bad.ru"),
    ("update", "--update", " "),
    ("update", "--update", "INSERT DATA { :new :hasParent :ann }", *EX, "--strategy", "bootstrap", "-v"),
    ("update", "--update", "INSERT DATA { :far :hasParent :new }", *EX, "--budget", "1"),
    ("rules", "add", "old.dl", "--rule", RULE),
    ("rules", "add", "old.dl"),
    ("rules", "add", "bad.dl"),
    ("rules", "add", "--rule", "[?x, :p, ?y] :- [?y, :p, ?x] .", *EX, "--json"),
    ("rules", "add", "--rule", "[?x, :p, ?z] :- [?y, :p, ?x] .", *EX),
    ("rules", "list", *EX),
    ("relation", "insert", "near", "near.csv"),
    ("relation", "upsert", "near", "near.csv", "--json"),
    ("relation", "insert", "reach", "none.csv"),
    ("relation", "list"),
    ("relation", "list", "--json"),
    ("relation", "read", "near"),
    ("relation", "read", "reach", "--inferred", "--tabs"),
    ("dump", "--relations"),
    ("relation", "delete", "near", "near.csv"),
    ("rules", "remove", "--name", "sibling"),
    ("rules", "remove", "--name", "sibling"),
    ("rules", "remove", "old.dl"),
    ("rules", "remove", "--rule", "[?x, :p, ?y] :- [?y, :p, ?x] .", *EX),
    ("watch", "--once"),
    ("watch", "--once", "--from", "999"),
    ("dump",),
    ("log",),
    ("log", "--json"),
    ("log", "--limit", "2"),
    ("log", "--diff", "1", "2", *EX),
    ("log", "--diff", "2", "1", "--json"),
    ("log", "--diff", "2", "999"),
    ("query", "--query", "SELECT * { ?x :hasAge ?y } ORDER BY ?x", *EX, "--as-of", "1"),
    ("query", "--query", "ASK {", "--as-of", "1"),
    ("query", "--query", "ASK {}", "--as-of", "999"),
    ("revert", "2"),
    ("revert", "2", "--json"),
    ("revert", "5"),
    ("revert", "999"),
    ("log",),
    ("dump",),
]
NOT_WALKED = {"serve", "backup", "mcp", "validate", "shapes"}
"""Commands that need a folder, and one that talks to an assistant (tests of its own)."""


class Both(NamedTuple):
    folder: Path
    address: str


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    """Two stores with the same commits: one as a folder, one behind a server."""
    monkeypatch.chdir(tmp_path)
    for name, text in {**FILES, "family.ttl": FAMILY}.items():
        Path(name).write_text(text)
    for store in ("our-store", "their-store"):
        succeed("load", "-l", store, "-f", "family.ttl", "--history", "all")
    with served(tmp_path / "their-store") as address:
        yield Both(Path("our-store"), address)


def at_place(line: tuple[str, ...], place: object) -> list[object]:
    """A command line with `-l` and a place behind the names of the command."""
    names = 2 if line[0] in ("rules", "relation", "profile") else 1
    return [*line[:names], "-l", place, *line[names:]]


def plain(text: str, place: object) -> str:
    """A text without dates, times, numbers of bytes and the name of the place."""
    # of the last commit of the process, which a command without a commit of its own does not have
    text = re.sub(r'"seconds_by_part": \{[^}]*\}, "peak_bytes": \d+,? ?|\n(seconds_by_part|peak_bytes) .*', "", text)
    text = text.replace(str(Path(str(place)).resolve()), "STORE").replace(str(place), "STORE")
    text = re.sub(r"\d{4}-\d\d-\d\d[ T][\d:.]{8,12}Z?", "DATE", text)
    text = re.sub(r"took \d+\.\d\d s", "took SECONDS", text)
    text = re.sub(r"in \d+\.\d\d s", "in SECONDS", text)
    text = re.sub(r'("seconds": |seconds +)[\d.]+', r"\1SECONDS", text)
    return re.sub(r"((?:engine|dictionary|peak)_bytes\W+)[\d,]+", r"\1BYTES", text)


def test_every_command_prints_the_same(both: Both) -> None:
    different = []
    for line in WALK:
        found = [outcome(call(*at_place(line, place)), place) for place in both]
        if line == ("dump",):  # in the order of the rows, which a graph that is opened again may have in another order
            found = [(status, "\n".join(sorted(out.splitlines())), err) for status, out, err in found]
        different += [(line, *found)] if found[0] != found[1] else []
    assert not different


def outcome(result: Result, place: object) -> tuple[int, str, str]:
    """What a command line did."""
    return result.exit_code, plain(result.stdout, place), plain(result.stderr, place)


def test_watching_from_the_beginning_gives_the_graph(both: Both) -> None:
    rows = []
    for place in both:
        succeed("load", "-l", place, "-f", "more.ttl")
        patches = succeed("watch", "-l", place, "--once", "--from", "0").splitlines()
        rows.append(sorted(line.removeprefix("A ") for line in patches if line.startswith("A ")))
        assert rows[-1] == sorted(succeed("dump", "-l", place).splitlines())
    assert rows[0] == rows[1]


def test_the_walk_has_every_command() -> None:
    def taking(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        for name, command in group.commands.items():
            if isinstance(command, click.Group):
                yield from taking(command, (*before, name))
            elif any("--location" in option.opts for option in command.params):
                yield (*before, name)

    walked = {line[: 2 if line[0] in ("rules", "relation", "profile") else 1] for line in WALK}
    assert {path for path in taking(main) if path[0] not in NOT_WALKED} == walked


def test_some_commands_need_the_folder(both: Both) -> None:
    server = both.address
    assert error_of("serve", "-l", server, status=2).startswith("serve needs the folder")
    assert error_of("validate", "-l", server, status=2).startswith("validate needs the folder")
    assert error_of("shapes", "dump", "-l", server, status=2).startswith("shapes needs the folder")
    assert "cannot be used with a server" in error_of("load", "-l", server, "-f", "more.ttl", "--pipeline", "spark")
    assert "cannot be used with a server" in error_of(
        "load", "-l", server, "-f", "more.ttl", "--catalogue", ".", status=2
    )
    assert "no server answers there" in error_of("stats", "-l", "http://127.0.0.1:9")
    assert "is not the address" in error_of("stats", "-l", "http://")
    assert call("check", "-l", "http://127.0.0.1:9").exit_code == 2


def test_tokens_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "family.ttl").write_text(FAMILY)
    succeed("load", "-l", tmp_path / "store", "-f", tmp_path / "family.ttl")
    (tmp_path / "tokens").write_text(f"# mine\nwrite {'w' * 16} ann\nread {'r' * 16}\n")
    (tmp_path / "empty").write_text("# nobody\n")
    with served(tmp_path / "store", tokens={"w" * 16: "write", "r" * 16: "read"}) as address:
        assert "give a token" in error_of("stats", "-l", address)
        insert = ("update", "-l", address, "--update", "INSERT DATA { <a:a> <a:b> <a:c> }")
        assert "asserted 1 quad" in succeed(*insert, "--token-file", tmp_path / "tokens")
        monkeypatch.setenv("KGREASON_TOKEN", "r" * 16)
        assert "facts" in succeed("stats", "-l", address)
        assert "role read" in error_of(*insert)
        assert "no token" in error_of(*insert, "--token-file", tmp_path / "empty", status=2)


def test_a_store_of_a_server_is_copied(both: Both, tmp_path: Path) -> None:
    told = succeed("backup", "-l", both.address, tmp_path / "copy")
    with KnowledgeGraph.open(tmp_path / "copy", read_only=True) as graph:
        assert told == f"copied the store as of commit {graph.commit}\n"
    assert succeed("dump", "-l", tmp_path / "copy") == succeed("dump", "-l", both.address)
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert "something at this path already" in error_of("backup", "-l", both.address, tmp_path / "copy")
    assert "cannot be used with a server" in error_of(
        "backup", "-l", both.address, tmp_path / "more", "--functions", __file__, status=2
    )
