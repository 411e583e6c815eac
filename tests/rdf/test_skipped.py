"""Malformed lines of N-Triples and N-Quads are left out and told, and the other lines are read as ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.errors import RdfSyntaxError
from kgreason.rdf.lines import canonicalization, skipped_lines
from kgreason.rdf.lines.skipped_lines import Skipped
from kgreason.rdf.reader import read
from kgreason.terms.dictionary import Dictionary
from tests.cli.calling import call, succeed

GOOD = ['<http://e/a> <http://e/p> "x" .', "_:a <http://e/p>  <http://e/é> . # text", "", "# text", "<u:a> <u:b> _:a ."]
BAD = [
    "<http://e/x?f[]=1#a#b> <http://e/p> 1 .",
    '<http://e/s> <http://e/p> "x"@zh-classical .',
    "<http://e/s> <http://e/p>",
    '<http://e/s> <http://e/p> "x',
    "\x00",
    "nothing",
    '<http://e/s> <http://e/p> "\udcff" .',
    "<http://e/s> <http://e/p> <http://e/o> . <http://e/s>",
]


def _file(folder: Path, lines: list[str], name: str, end: str) -> Path:
    file = folder / f"a.{name}"
    file.write_bytes(end.join(lines).encode(errors="surrogateescape"))
    return file


def _read(path: Path, threads: int | None = None) -> tuple[bytes, Skipped]:
    found, dictionary = Skipped(), Dictionary()
    batches = read(path, dictionary, source="s", skipped=found, threads=threads)
    return b"".join(dictionary.lines(*batch) for batch in batches), found


@given(
    st.lists(st.sampled_from(GOOD + BAD), max_size=12),
    st.sampled_from(["nt", "nq"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([50, 1 << 21]),
)
def test_the_sound_lines_are_read_and_the_others_told_with_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], name: str, end: str, block: int
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    bad = [number for number, line in enumerate(lines, 1) if line in BAD]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonicalization, "BLOCK", block)
        expected, _ = _read(_file(folder, [line for line in lines if line not in BAD], name, end))
        path = _file(folder, lines, name, end)
        found, told = _read(path, threads=2)
    assert sorted(found.splitlines()) == sorted(expected.splitlines())
    assert told.count == len(bad)
    assert [place[:2] for place in told.places] == [(str(path), number) for number in bad[: skipped_lines.MOST]]


def test_without_bad_lines_nothing_is_told_and_a_batch_is_as_ever(tmp_path: Path) -> None:
    found, told = _read(_file(tmp_path, GOOD, "nt", "\n"))
    assert found.count(b"\n") == 3
    assert (told.count, list(told.messages())) == (0, [])


def test_more_lines_than_are_shown_are_counted(tmp_path: Path) -> None:
    _, told = _read(_file(tmp_path, BAD[:1] * 1234, "nt", "\n"))
    first, *places, rest = told.messages()
    assert (first, len(places), rest) == ("skipped 1,234 malformed lines", skipped_lines.MOST, "and 1,224 more")
    assert places[-1].endswith(f"a.nt:{skipped_lines.MOST}: Invalid IRI code point '['")


def test_other_formats_stay_errors_and_say_for_which_the_option_is(tmp_path: Path) -> None:
    path = _file(tmp_path, BAD[:1], "ttl", "\n")
    with pytest.raises(RdfSyntaxError, match=r"only lines of N-Triples and N-Quads can be skipped"):
        _read(path)


def test_graphs_and_commands_skip_them(tmp_path: Path) -> None:
    path = _file(tmp_path, [*BAD[:2], GOOD[0], BAD[2]], "nt", "\n")
    with KnowledgeGraph.open(rules="none") as graph:
        with pytest.raises(RdfSyntaxError, match=r"a\.nt:1"):
            graph.load(path)
        loaded = graph.load(path, skip_malformed=True)
        assert (len(graph), loaded["skipped"]) == (1, 3)
        assert loaded.skipped is not None
        assert str(loaded.skipped.places[2]).startswith(f"{path}:4: ")
        assert "skipped" not in graph.load(_file(tmp_path, GOOD, "nq", "\n"))
    result = call("materialize", path, "--rules", "none", "-o", "-", "--skip-malformed")
    assert result.stdout == f"{GOOD[0]}\n"
    told = result.stderr.splitlines()
    assert told[0] == "kgreason: warning: skipped 3 malformed lines"
    assert told[1].startswith(f"kgreason: warning: {path}:1: Invalid IRI code point")
    assert "loaded 1 new triple" in succeed(
        "load", "-l", tmp_path / "store", "-f", path, "--rules", "none", "--skip-malformed"
    )
