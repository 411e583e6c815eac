"""`watch` shows what another process commits, as RDF Patch."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.calling import error_of, start, succeed, triples

E = "http://example.org/"
INSERT = f"INSERT DATA {{ <{E}ida> <{E}hasParent> <{E}una> }}"
CHILD = f"@rule child [?y, <{E}hasChild>, ?x] :- [?x, <{E}hasParent>, ?y] ."


def applied(patches: str, rows: set[str]) -> set[str]:
    """What patches make of rows; they fit them."""
    for line in patches.splitlines():
        mark, _, row = line.partition(" ")
        if mark == "D":
            assert row in rows
            rows = rows - {row}
        elif mark == "A":
            assert row not in rows
            rows = rows | {row}
    return rows


def test_patches_add_up(store: Path) -> None:
    first = triples(store)
    assert succeed("watch", "-l", store, "--once") == ""
    assert applied(succeed("watch", "-l", store, "--from", "0", "--once"), set()) == first
    succeed("update", "-l", store, "-u", INSERT)
    succeed("rules", "add", "-l", store, "--rule", CHILD)
    succeed("update", "-l", store, "-u", INSERT.replace("INSERT", "DELETE"))
    patches = succeed("watch", "-l", store, "--from", "1", "--once")
    assert applied(patches, first) == triples(store)
    assert applied(succeed("watch", "-l", store, "--from", "0", "--once"), set()) == triples(store)
    heads = [line for line in patches.splitlines() if line.startswith("H ") and not line.startswith("H time ")]
    assert [heads[0], heads[1], heads[3]] == [f'H commit "{number}" .' for number in (2, 3, 4)]
    assert heads[2].startswith('H add-rule "@rule child\\n')
    assert succeed("watch", "-l", store, "--from", "3", "--once") == patches[patches.index(heads[3]) :]


@pytest.fixture
def watching(store: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that watches, and has begun to."""
    process = start("watch", "-l", store, "--from", "0")
    assert process.stdout
    while process.stdout.readline() != "TC .\n":
        assert process.poll() is None
    yield process
    process.kill()
    process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
def test_commits_are_shown_as_they_come_until_interrupted(store: Path, watching: subprocess.Popen[str]) -> None:
    assert watching.stdout
    assert watching.stderr
    for number, update in ((2, INSERT), (3, INSERT.replace("INSERT", "DELETE"))):
        before = triples(store)
        succeed("update", "-l", store, "-u", update)
        patch = [watching.stdout.readline() for _ in range(3)]
        assert patch[1].startswith('H time "2')
        assert [patch[0], patch[2]] == [f'H commit "{number}" .\n', "TX .\n"]
        while patch[-1] != "TC .\n":
            patch.append(watching.stdout.readline())
        assert applied("".join(patch), before) == triples(store)
    watching.send_signal(signal.SIGINT)
    assert watching.stderr.read() == "kgreason: interrupted\n"
    assert watching.wait() == 130


def test_a_reader_that_went_away_ends_it(store: Path, watching: subprocess.Popen[str]) -> None:
    assert watching.stdout
    assert watching.stderr
    watching.stdout.close()
    succeed("update", "-l", store, "-u", INSERT)
    assert watching.wait(timeout=60) == 1
    assert watching.stderr.read() == ""


def test_where_it_cannot_begin(store: Path, tmp_path: Path) -> None:
    assert error_of("watch", "-l", store, "--from", "9").endswith("there is no commit 9; the last commit is 1")
    assert error_of("watch", "-l", tmp_path / "missing").startswith(f"{tmp_path / 'missing'}: there is no store")
    assert "--help" in error_of("watch", "-l", store, "--from", "-1", status=2)
