"""`Editor`: CodeMirror for SPARQL and Turtle, with completion of the prefixes, classes and properties of the graph."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from nicegui import ui

from kgreason.server.console.vocabulary import Words

_SCRIPT = Path(__file__).with_name("editor.js").read_text("utf-8")


class Editor:
    """A text field with a label. It calls `run` at Ctrl-Enter, and `changed` when its text changes."""

    def __init__(
        self, text: str, language: str, label: str, run: Callable[[], object], changed: Callable[[], object]
    ) -> None:
        self.element = ui.codemirror(
            text,
            language=language,  # type: ignore[arg-type]
            on_change=lambda _: changed(),
            keymap={"Mod-Enter": lambda _: run()},
            line_wrapping=True,
        )
        self.element.classes("editor")
        self._label = label

    @property
    def text(self) -> str:
        """The text in the editor."""
        return self.element.value or ""

    @text.setter
    def text(self, text: str) -> None:
        self.element.value = text

    def ready(self, words: Words) -> None:
        """Give the field a name for screen readers, a theme, and the words of the graph, which it can complete."""
        completed = [{"label": f"{prefix}:", "type": "namespace"} for prefix in words.prefixes]
        for kind, iris in (("class", words.classes), ("property", words.properties)):
            completed += [{"label": words.name(iri), "type": kind} for iri in iris]
        values = json.dumps([self.element.id, self._label, completed]).replace("<", "\\u003c")
        ui.run_javascript(f"({_SCRIPT})(...{values})")
