"""The page Query: an editor for SPARQL, its answer as a table, downloads, and queries that the browser keeps.

A query runs as a request to /query. The page reads the first rows and ends the request; a download asks again. The
button Stop ends the request too, and the server kills the query. The address of the page holds the query that has run,
so that it can be shared.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup
from nicegui import ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request

from kgreason.server.console.controls.editor import Editor
from kgreason.server.console.controls.listing import Listing, sort_key
from kgreason.server.console.controls.past import commit_of, commit_options, heads
from kgreason.server.console.frame import Frame, button, html
from kgreason.server.console.markup import Row, empty_notice, js_literal, link, term

_SHOWN = 5_000
_ENOUGH = 1 << 21
_FIRST = """SELECT ?class (COUNT(?thing) AS ?things) {
  ?thing a ?class
  FILTER(isIRI(?class))
} GROUP BY ?class ORDER BY DESC(?things) LIMIT 20"""
_ACCEPT = {"accept": "text/tab-separated-values, application/n-triples"}
_COMMITS, _WAIT = 100, 30
_LONGEST = 6_000
"""How many bytes an address with the query may have. Beyond it browsers and proxies may refuse the address."""
_IS_TRUE = "true"


class FirstRows(NamedTuple):
    """The first rows of an answer. `head` has the names of the columns; it is empty for an ASK query.

    `is_whole` says whether these are all rows.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    is_whole: bool
    is_graph: bool
    commit: str


async def query_page(request: Request, query: str = "", as_of: str = "") -> None:
    """Make the page Query. `query` is the text that the editor shows at the beginning, and `as_of` a commit or time."""
    with Frame(request, "Query") as frame:
        _Query(frame, query, as_of)


class _Query:
    def __init__(self, frame: Frame, text: str, as_of: str) -> None:
        self._frame, self._as_of = frame, as_of
        run = frame.handler(self._run_query, "query")
        self._editor = Editor(text or _FIRST, "SPARQL", "SPARQL query", run, lambda: None)
        with ui.element("div").classes("bar"):
            button("Run", run, is_main=True)
            self._stop = button("Stop", lambda: frame.stop("query")).props("disabled")
            html(Markup('<span class="mark keys">Ctrl+Enter</span>'))
            past = html(_AS_OF.format(as_of)).on("input", self._choose_past, js_handler=_TYPED)
            past.classes("as-of")
            self._history = ui.element("select").props('aria-label="History of queries"').classes("history")
            self._history.on("change", self._recall, js_handler=_TYPED)
            html(_SAVED).classes("saved")
            self._state = html("").classes("state")
        self._commits = html("", tag="datalist").props('id="commits"')
        self._result = ui.element("div").classes("result")
        with self._result:
            html(empty_notice("No answer yet", "Press Run, or Ctrl+Enter in the editor."))
        frame.when_connected(lambda: self._prepare_editor(text))

    async def _prepare_editor(self, text: str) -> None:
        self._editor.prepare(self._frame.words, restores=not text)
        self._show_history()
        ui.run_javascript("kgreason.memory.showSaved()")
        self._as_of = str(await ui.run_javascript("return document.getElementById('as-of').value", timeout=_WAIT))
        self._commits.set_content(commit_options(await heads(self._frame.calls, _COMMITS) or ()))
        if text:
            self._frame.start_task(self._run_query, "query")

    def _choose_past(self, event: GenericEventArguments) -> None:
        self._as_of = str(event.args)

    def _show(self, answer: Markup | None = None) -> None:
        self._result.clear()
        if answer is not None:
            with self._result:
                html(answer)

    async def _run_query(self) -> None:
        text, as_of = self._declare_prefixes(), await commit_of(self._frame.calls, self._as_of)
        self._state.set_content(Markup('<span role="status">running…</span>'))
        self._stop.props(remove="disabled")
        begun = time.perf_counter()
        try:
            found = await self._first_rows(text, as_of)
        except asyncio.CancelledError:
            told = Markup('<span role="status">stopped after {:.1f} s</span>')
            self._state.set_content(told.format(time.perf_counter() - begun))
            self._show()
            raise
        except BaseException:
            self._state.set_content("")
            self._show()
            raise
        finally:
            self._stop.props("disabled")
        seconds = time.perf_counter() - begun
        self._list_rows(found)
        self._state.set_content(_summary(found, seconds, text, as_of))
        self._remember(text)

    def _list_rows(self, found: FirstRows) -> None:
        if (said := answer_sentence(found)) is not None:
            self._show(said)
            return
        self._show()
        numbers = [place for place in range(len(found.head)) if all(_is_number(row[place]) for row in found.rows)]
        words = self._frame.words

        def row(cells: Sequence[str]) -> Row:
            return Row([term(cell, words) if cell else "" for cell in cells])

        def order(cells: Sequence[str], place: int) -> tuple[int, float, str]:
            return sort_key(cells[place])

        with self._result:
            Listing("Rows of the answer", found.head, found.rows, row, order, numbers)

    def _declare_prefixes(self) -> str:
        """Declare in the editor each known prefix that the query uses without a declaration. Returns the new text."""
        text = self._editor.text
        if missing := self._frame.words.undeclared_prefixes(text):
            lines = "".join(f"PREFIX {prefix}: <{namespace}>\n" for prefix, namespace in missing.items())
            self._editor.text = text = lines + text
        return text

    async def _first_rows(self, text: str, as_of: int | None) -> FirstRows:
        form = {"query": text} | ({} if as_of is None else {"as_of": as_of})
        async with self._frame.calls.open(
            "POST", "/query", body=urlencode(form).encode(), headers=_ACCEPT | _FORM
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
            return _result_of(lines, is_whole, is_graph, answer.headers.get("kgreason-commit", ""))

    def _remember(self, text: str) -> None:
        """Put the query into the history of the browser, and into the address of the page if it is not too long."""
        address = f"/?{urlencode({'query': text} | ({'as_of': self._as_of} if self._as_of.strip() else {}))}"
        address = address if len(address) <= _LONGEST else "/"
        ui.run_javascript(
            f"kgreason.memory.remember({js_literal(text)});"
            f" history.replaceState(history.state, '', {js_literal(address)})"
        )
        self._show_history()

    def _show_history(self) -> None:
        """Fill the list of past queries. The browser stores the past queries."""
        ui.run_javascript(f"kgreason.memory.showPast(getHtmlElement({self._history.id}))")

    def _recall(self, event: GenericEventArguments) -> None:
        if event.args:
            self._editor.text = str(event.args)


_TYPED = "(event) => emit(event.target.value)"
_AS_OF = Markup(
    '<label for="as-of">As of</label><input id="as-of" list="commits" value="{}" size="16" autocomplete="off"'
    ' placeholder="commit or time">'
)
_SAVED = Markup(
    '<details><summary>Saved queries</summary><div><ul aria-label="Saved queries"></ul>'
    '<form><label for="saved-name">Name</label><input id="saved-name" name="name" required maxlength="80"'
    ' pattern=".*\\S.*" autocomplete="off"><button>Save</button></form>'
    '<div class="bar"><button type="button" data-do="export">Export</button><label class="button">Import'
    ' <input type="file" accept=".json,application/json"></label></div><p role="status"></p></div></details>'
)
_FORM = {"content-type": "application/x-www-form-urlencoded"}


def _result_of(lines: list[str], is_whole: bool, is_graph: bool, commit: str) -> FirstRows:
    """Turn the first lines of an answer into a `FirstRows`.

    The lines are N-Triples if `is_graph` is set, otherwise a table in TSV, or `true` or `false`. `is_whole` says
    whether these are all lines of the answer. `commit` is the commit that the server names with the answer.
    """
    if is_graph:
        return FirstRows(
            ("subject", "predicate", "object"), [_terms(line) for line in lines[:_SHOWN]], is_whole, True, commit
        )
    if lines and not lines[0].startswith("?") and lines[0] in ("true", "false"):
        return FirstRows((), [[lines[0]]], True, False, commit)
    head = [name.removeprefix("?") for name in lines[0].split("\t")] if lines and lines[0] else []
    rows = [line.split("\t") for line in lines[1:]]
    return FirstRows(head, rows[:_SHOWN], is_whole and len(rows) <= _SHOWN, False, commit)


def _terms(line: str) -> list[str]:
    subject, predicate, rest = line.split(" ", 2)
    return [subject, predicate, rest.removesuffix(" .")]


def answer_sentence(found: FirstRows) -> Markup | None:
    """Say the answer of an ASK query, or that an answer has no rows. Returns None for an answer with rows."""
    if not found.head and found.rows:
        is_true = found.rows[0][0] == _IS_TRUE
        return Markup('<p class="answer">{}</p>').format("Yes, it holds." if is_true else "No, it does not hold.")
    if not found.rows:
        return empty_notice("No rows", "The query is correct, and nothing in the graph matches it.")
    return None


def _is_number(cell: str) -> bool:
    return cell.lstrip("+-").replace(".", "", 1).isdigit()


def _summary(found: FirstRows, seconds: float, text: str, as_of: int | None) -> Markup:
    count = f"{len(found.rows):,}" if found.is_whole else f"the first {len(found.rows):,}"
    noun = "triple" if found.is_graph else "row"
    told = f"{count} {noun}{'s' if len(found.rows) != 1 else ''} in {seconds:.2f} s, commit {found.commit}"
    forms = ("ttl", "nt", "rdf", "jsonld") if found.is_graph else ("csv", "tsv", "json", "xml")
    given = urlencode({"query": text} | ({} if as_of is None else {"as_of": as_of}))
    links = [link(f"/console/rows.{form}?{given}", form.upper(), "plain") for form in forms]
    return Markup('<span role="status">{}</span> <span class="downloads">Download {}</span>').format(
        told, Markup(" ").join(links)
    )
