"""`Editor`: CodeMirror for SPARQL and Turtle. It completes keywords, and the prefixes, names and labels of the graph.

The browser keeps the text until its tab is closed (memory.js), so that it is there again after a change of page. Tab
leaves the editor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from nicegui import ui

from kgreason.server.console.markup import js_literal
from kgreason.server.console.vocabulary import Words

_SCRIPT = Path(__file__).with_name("editor.js").read_text("utf-8")
_KEYWORDS = {
    "SPARQL": "ADD ALL AS ASC ASK AVG BASE BIND BOUND BY CLEAR COALESCE CONCAT CONSTRUCT CONTAINS COPY COUNT CREATE"
    " DATA DATATYPE DEFAULT DELETE DESC DESCRIBE DISTINCT DROP EXISTS FILTER FROM GRAPH GROUP_CONCAT GROUP"
    " HAVING IF IN INSERT IRI LANG LANGMATCHES LCASE LIMIT LOAD MAX MIN MINUS MOVE NAMED NOT NOW OFFSET"
    " OPTIONAL ORDER PREFIX REDUCED REGEX REPLACE ROUND SAMPLE SELECT SEPARATOR SERVICE SILENT STR"
    " STRAFTER STRBEFORE STRDT STRENDS STRLANG STRLEN STRSTARTS SUBSTR SUM TO UCASE UNDEF UNION USING"
    " VALUES WHERE WITH YEAR isBlank isIRI isLiteral isNumeric sameTerm true false",
    "Turtle": "@prefix @base a true false",
}


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
        self._label, self._given = label, text

    @property
    def text(self) -> str:
        """The text in the editor."""
        return self.element.value or ""

    @text.setter
    def text(self, text: str) -> None:
        self.element.value = text

    def prepare(self, words: Words, *, restores: bool) -> None:
        """Give the field a name for screen readers, a theme, and the words of the graph, which it can complete.

        If `restores` is set, the text that the user had left on this page comes back, unless the user types already.
        """
        told = {"keywords": _KEYWORDS, "terms": list(completions(words))}
        values = js_literal([self.element.id, self._label, told, self._given if restores else None])
        ui.run_javascript(f"({_SCRIPT})(...{values})")


def completions(words: Words) -> Iterator[dict[str, str]]:
    """Yield what the editor offers, as CodeMirror takes it: prefixes, names of terms, and labels in place of names.

    >>> for each in completions(Words({"e": "http://e/"}, ["http://e/C1"], labels={"http://e/C1": "cat"})): print(each)
    {'label': 'e:', 'type': 'namespace'}
    {'label': 'e:C1', 'type': 'class', 'detail': 'cat'}
    {'label': 'cat', 'type': 'class', 'detail': 'e:C1', 'apply': 'e:C1'}
    """
    for prefix in words.prefixes:
        yield {"label": f"{prefix}:", "type": "namespace"}
    for kind, iris in (("class", words.classes), ("property", words.properties)):
        for iri in iris:
            name, label = words.name(iri), words.labels.get(iri)
            yield {"label": name, "type": kind} | ({"detail": label} if label else {})
            if label:
                yield {"label": label, "type": kind, "detail": name, "apply": name}
