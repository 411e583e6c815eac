"""The first commit of an installation compiles the kernels: who hears of it, and which errors do not wait for it."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph, compiled
from kgreason.errors import InputError, RdfSyntaxError
from kgreason.graph.readable_graph import ReadableGraph

LINE = f"kgreason: {compiled.ONCE}\n"


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Makes the process one in which no kernel is compiled yet and, when it is called, nobody has set up logging."""
    monkeypatch.setattr(compiled, "is_compiled", lambda _: False)
    monkeypatch.setattr("kgreason.engine.engine.are_compiled", lambda _: False)
    compiled.announce_compilation.cache_clear()
    yield lambda: monkeypatch.setattr(logging.getLogger("kgreason"), "propagate", False)  # pytest has a handler above
    compiled.announce_compilation.cache_clear()


def test_the_first_compilation_is_announced_once(cold: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> None:
    cold()
    compiled.announce_compilation(len)
    compiled.announce_compilation(len)
    assert capsys.readouterr().err == LINE


@pytest.mark.usefixtures("cold")
def test_whoever_has_set_up_logging_hears_it_there(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.INFO, logger="kgreason"):
        compiled.announce_compilation(len)
    assert caplog.messages == [compiled.ONCE]
    assert capsys.readouterr().err == ""


def test_the_level_of_the_logger_silences_it(cold: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> None:
    cold()
    logger = logging.getLogger("kgreason")
    before = logger.level
    logger.setLevel(logging.ERROR)
    compiled.announce_compilation(len)
    logger.setLevel(before)
    assert capsys.readouterr().err == ""


def test_nobody_hears_it_without_a_standard_error(cold: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    cold()
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stderr", stream)
        compiled.announce_compilation.cache_clear()
        compiled.announce_compilation(len)


@pytest.mark.usefixtures("cold")
def test_a_mistake_of_the_input_does_not_wait_for_the_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compiling(_: object) -> None:
        raise AssertionError("the engine was started before the input was read")

    monkeypatch.setattr(ReadableGraph, "_committer", compiling)
    for name in ("bad.ttl", "bad.nt", "bad.rdf", "bad.jsonld"):
        (tmp_path / name).write_text("<urn:a> ยง nonsense")
    calls: list[Callable[[KnowledgeGraph], Any]] = [
        *(lambda graph, name=name: graph.load(tmp_path / name) for name in ("bad.ttl", "bad.nt", "bad.rdf")),
        lambda graph: graph.load(tmp_path / "bad.jsonld"),
        lambda graph: graph.load(tmp_path / "missing.ttl"),
        lambda graph: graph.load(tmp_path),
        lambda graph: graph.unload(tmp_path / "bad.ttl"),
        lambda graph: graph.add("@prefix e: <http://e/> . e:a e:b ."),
        lambda graph: graph.add("e:a e:b c:c .", prefixes={"e": "http://e/"}),
        lambda graph: graph.add(("http://e/a", "http://e/p", 1), ("http://e/a", "no term here", 1)),
        lambda graph: graph.remove("SELECT * { ?s ?p ?o }"),
    ]
    with KnowledgeGraph.open() as graph:
        for call in calls:
            with pytest.raises((InputError, RdfSyntaxError)):
                call(graph)


def test_the_early_errors_are_the_errors_of_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.ttl").write_text("@prefix e: <http://e/> .\ne:a e:b e:c .\ne:a e:b .\n")
    (tmp_path / "bad.nt").write_text("<http://e/a> <http://e/b> <http://e/c> .\n<http://e/a> <http://e/b .\n")
    calls: list[Callable[[KnowledgeGraph], Any]] = [
        lambda graph: graph.load(tmp_path / "bad.ttl"),
        lambda graph: graph.load(tmp_path / "bad.nt"),
        lambda graph: graph.add("e:a e:b c:c .", prefixes={"e": "http://e/"}),
        lambda graph: graph.add("data.ttl"),
        lambda graph: graph.add("x(?a) :- y(?a) ."),
        lambda graph: graph.add("<urn:a> a <urn:B> .", ("http://e/a", "no term here", 1)),
    ]
    for call in calls:
        told = []
        for is_cold in (True, False):
            monkeypatch.setattr("kgreason.engine.engine.is_compiled", lambda is_cold=is_cold: not is_cold)
            with KnowledgeGraph.open() as graph, pytest.raises(InputError) as error:
                call(graph)
            told.append(str(error.value))
        assert told[0] == told[1]


def test_a_file_whose_malformed_lines_are_skipped_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgreason.engine.engine.is_compiled", lambda: False)
    (tmp_path / "bad.nt").write_text("nonsense\n<http://e/a> <http://e/b> <http://e/c> .\n")
    with KnowledgeGraph.open() as graph:
        assert graph.load(tmp_path / "bad.nt", skip_malformed=True)["asserted"] == 1
