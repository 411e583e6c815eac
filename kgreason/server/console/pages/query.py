"""The page Query: an editor for SPARQL, its answer as a table, downloads, and the history in the browser.

A query runs as a request to /query. The page reads the first rows and ends the request; a download asks again. The
button Stop ends the request too, and the server kills the query.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup
from nicegui import ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request

from kgreason.server.console.editor import Editor
from kgreason.server.console.frame import Frame, button, html
from kgreason.server.console.markup import Row, empty, link, table, term
from kgreason.server.console.vocabulary import Words

_SHOWN = 500
_ENOUGH = 1 << 21
_FIRST = """SELECT ?class (COUNT(?thing) AS ?things) {
  ?thing a ?class
  FILTER(isIRI(?class))
} GROUP BY ?class ORDER BY DESC(?things) LIMIT 20"""
_ACCEPT = {"accept": "text/tab-separated-values, application/n-triples"}
_KEY = "kgreason.queries"
_KEPT = 30
_IS_TRUE = "true"


class Found(NamedTuple):
    """The first rows of an answer. `head` has the names of the columns; it is empty for an ASK query.

    `is_whole` says whether these are all rows.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    is_whole: bool
    is_graph: bool
    commit: str


async def query_page(request: Request, query: str = "") -> None:
    """Make the page Query. `query` is the text that the editor shows at the beginning."""
    with Frame(request, "Query") as frame:
        _Query(frame, query)


class _Query:
    def __init__(self, frame: Frame, text: str) -> None:
        self._frame = frame
        run = frame.on(self._run, "query")
        self._editor = Editor(text or _FIRST, "SPARQL", "SPARQL query", run, lambda: None)
        with ui.element("div").classes("bar"):
            button("Run", run, is_main=True)
            self._stop = button("Stop", lambda: frame.stop("query")).props("disabled")
            html(Markup('<span class="mark keys">Ctrl+Enter</span>'))
            self._history = ui.element("select").props('aria-label="History of queries"').classes("history")
            self._history.on("change", self._recall, js_handler="(event) => emit(event.target.value)")
            self._state = html("").classes("state")
        self._result = html(empty("No answer yet", "Press Run, or Ctrl+Enter in the editor."))
        frame.later(lambda: self._ready(runs=bool(text)))

    async def _ready(self, *, runs: bool) -> None:
        self._editor.ready(self._frame.words)
        await self._show_history()
        if runs:
            await self._run()

    async def _run(self) -> None:
        text = self._declared()
        self._state.set_content(Markup('<span role="status">running…</span>'))
        self._stop.props(remove="disabled")
        begun = time.perf_counter()
        try:
            found = await self._ask(text)
        except asyncio.CancelledError:
            told = Markup('<span role="status">stopped after {:.1f} s</span>')
            self._state.set_content(told.format(time.perf_counter() - begun))
            self._result.set_content("")
            raise
        except BaseException:
            self._state.set_content("")
            self._result.set_content("")
            raise
        finally:
            self._stop.props("disabled")
        seconds = time.perf_counter() - begun
        self._result.set_content(shown(found, self._frame.words))
        self._state.set_content(_told(found, seconds, text))
        await self._remember(text)

    def _declared(self) -> str:
        """Declare in the editor each known prefix that the query uses without a declaration. Returns the new text."""
        text = self._editor.text
        if missing := self._frame.words.undeclared(text):
            lines = "".join(f"PREFIX {prefix}: <{namespace}>\n" for prefix, namespace in missing.items())
            self._editor.text = text = lines + text
        return text

    async def _ask(self, text: str) -> Found:
        async with self._frame.calls.open(
            "POST", "/query", body=urlencode({"query": text}).encode(), headers=_ACCEPT | _FORM
        ) as answer:
            is_graph = answer.headers["content-type"].startswith("application/n-triples")
            lines: list[str] = []
            rest, size, is_whole = b"", 0, True
            async for piece in answer.pieces:
                *whole, rest = (rest + piece).split(b"\n")
                lines += [line.decode() for line in whole]
                size += len(piece)
                if len(lines) > _SHOWN + 1 or size > _ENOUGH:
                    is_whole = False
                    break
            if is_whole and rest:
                lines.append(rest.decode())
            return _found(lines, is_whole, is_graph, answer.headers.get("kgreason-commit", ""))

    async def _remember(self, text: str) -> None:
        ui.run_javascript(
            f"const old = JSON.parse(localStorage.getItem('{_KEY}') || '[]'), text = {_quoted(text)};"
            f"localStorage.setItem('{_KEY}', JSON.stringify([text, ...old.filter(t => t !== text)].slice(0, {_KEPT})));"
        )
        await self._show_history()

    async def _show_history(self) -> None:
        """Fill the list of past queries. The browser stores the past queries."""
        script = f"""
            const list = getElement({self._history.id}), old = JSON.parse(localStorage.getItem('{_KEY}') || '[]');
            list.replaceChildren(new Option(old.length ? 'History' : 'History is empty', ''));
            old.forEach(text => list.add(new Option(text.replace(/PREFIX [^>]*>\\s*/g, '').slice(0, 80), text)));
        """
        ui.run_javascript(script)

    def _recall(self, event: GenericEventArguments) -> None:
        if event.args:
            self._editor.text = str(event.args)


_FORM = {"content-type": "application/x-www-form-urlencoded"}


def _quoted(text: str) -> str:
    return json.dumps(text).replace("<", "\\u003c")


def _found(lines: list[str], is_whole: bool, is_graph: bool, commit: str) -> Found:
    """Turn the first lines of an answer into a `Found`.

    The lines are N-Triples if `is_graph` is set, otherwise a table in TSV, or `true` or `false`. `is_whole` says
    whether these are all lines of the answer. `commit` is the commit that the server names with the answer.
    """
    if is_graph:
        return Found(
            ("subject", "predicate", "object"), [_terms(line) for line in lines[:_SHOWN]], is_whole, True, commit
        )
    if lines and not lines[0].startswith("?") and lines[0] in ("true", "false"):
        return Found((), [[lines[0]]], True, False, commit)
    head = [name.removeprefix("?") for name in lines[0].split("\t")] if lines and lines[0] else []
    rows = [line.split("\t") for line in lines[1:]]
    return Found(head, rows[:_SHOWN], is_whole and len(rows) <= _SHOWN, False, commit)


def _terms(line: str) -> list[str]:
    """Return the three terms of a line of N-Triples."""
    subject, predicate, rest = line.split(" ", 2)
    return [subject, predicate, rest.removesuffix(" .")]


def shown(found: Found, words: Words) -> Markup:
    """Show an answer as HTML."""
    if not found.head and found.rows:
        is_true = found.rows[0][0] == _IS_TRUE
        return Markup('<p class="answer">{}</p>').format("Yes, it holds." if is_true else "No, it does not hold.")
    if not found.rows:
        return empty("No rows", "The query is correct, and nothing in the graph matches it.")
    numbers = [place for place in range(len(found.head)) if all(_is_number(row[place]) for row in found.rows)]
    rows = (Row([term(cell, words) if cell else "" for cell in row]) for row in found.rows)
    return table(found.head, rows, label="Rows of the answer", numbers=numbers)


def _is_number(cell: str) -> bool:
    return cell.lstrip("+-").replace(".", "", 1).isdigit()


def _told(found: Found, seconds: float, text: str) -> Markup:
    """Show the number of rows, the time and the commit of an answer, and links to download all rows."""
    count = f"{len(found.rows):,}" if found.is_whole else f"the first {len(found.rows):,}"
    noun = "triple" if found.is_graph else "row"
    told = f"{count} {noun}{'s' if len(found.rows) != 1 else ''} in {seconds:.2f} s, commit {found.commit}"
    forms = ("ttl", "nt", "rdf", "jsonld") if found.is_graph else ("csv", "tsv", "json", "xml")
    links = [link(f"/console/rows.{form}?{urlencode({'query': text})}", form.upper(), "plain") for form in forms]
    return Markup('<span role="status">{}</span> <span class="downloads">Download {}</span>').format(
        told, Markup(" ").join(links)
    )
