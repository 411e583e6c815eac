"""`load(progress=True)` draws bars: on a terminal by Rich, in a notebook by IPython's display, elsewhere none."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputTypeError
from kgreason.resources import resource

FILE = resource("ontologies", "family.ttl")


def test_a_bar_is_drawn_on_a_terminal_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for is_terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
        with KnowledgeGraph.open() as graph:
            graph.load(FILE, progress=True)
            graph.unload(FILE, progress=True)
            assert len(graph) == 0
        shown = capsys.readouterr()
        assert ("reading" in shown.err) == is_terminal
        assert shown.out == ""


def test_nothing_is_drawn_unless_it_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with KnowledgeGraph.open() as graph, graph.transaction() as tx:
        tx.load(FILE)
        tx.load(FILE, progress=False)
    assert capsys.readouterr().err == ""


def test_a_notebook_shows_a_bar_in_the_output_of_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    def display(bar: Any, display_id: bool) -> SimpleNamespace:
        shown.append(bar._repr_mimebundle_([], [])["text/html"])
        return SimpleNamespace(update=lambda what, **_: shown.append(what))

    shell, screen = ModuleType("IPython"), ModuleType("IPython.display")
    shell.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    screen.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", screen)
    with KnowledgeGraph.open() as graph:
        graph.load(FILE, progress=True)
    assert "reading" in shown[0]
    assert shown[-1] == {"text/plain": ""}


@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_a_wrong_progress_is_an_error(value: Any, tmp_path: Path) -> None:
    with KnowledgeGraph.open() as graph, pytest.raises(InputTypeError, match="pass True for bars"):
        graph.load(FILE, progress=value)
