"""The page Edit: a document or an update on the left, and on the right what it would do, before it is committed.

While the user types, the page asks /what-if. The request to commit names the commit for which the consequences were
computed (If-Match). If the graph has a later commit, the server refuses the request. So the user has seen the
consequences of everything that is committed.

If the update deletes triples that rules derive, the page says so and shows the proofs: they stay. While the text is not
complete, the last consequences stay and are dimmed.

One what-if runs at a time. When it has ended, the page tries the latest text. After the button Stop, the page no longer
waits for the what-if, and the server kills the query process that evaluates its WHERE.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any

from markupsafe import Markup
from nicegui import ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request

from kgreason.server.console.consequences import consequences, deletions, undeleted_markup
from kgreason.server.console.controls import graphs
from kgreason.server.console.controls.editor import Editor
from kgreason.server.console.controls.files import Files
from kgreason.server.console.frame import Frame, button, choice, html
from kgreason.server.console.markup import empty_notice, js_literal
from kgreason.server.problems import Problem

_PAUSE, _WAIT = 0.35, 30
_PLACE = re.compile(r"the body:(\d+):(\d+)")
_SHOWN = 100
_TURTLE, _UPDATE = "text/turtle", "application/sparql-update"
_LANGUAGES = {_TURTLE: "Turtle: triples to add", _UPDATE: "SPARQL Update"}
_MODES = {_TURTLE: "Turtle", _UPDATE: "SPARQL"}
_STOPPED = Markup('<span role="status">Stopped. Change the text to look ahead again.</span>')
_NOTHING = empty_notice(
    "Nothing to commit", "Type triples or an update. What they would change appears here as you type."
)


async def edit_page(request: Request, update: str = "", graph: str = "") -> None:
    """Make the page Edit. `update` is the SPARQL update that the editor shows at the beginning.

    `graph` is the IRI of the graph to which Turtle is added; empty means the default graph.
    """
    with Frame(request, "Edit") as frame:
        _Edit(frame, update, graph)


class _Edit:
    def __init__(self, frame: Frame, update: str, graph: str) -> None:
        self._frame, self._graph = frame, graph.strip()
        self._kind = _UPDATE if update else _TURTLE
        self._busy = self._stale = False
        self._declared = ""
        """The declarations that `_with_prefixes` has put before the first line of the text."""
        self._tried: tuple[str, int] | None = None
        """The text whose consequences are shown, and the commit on which they were computed."""
        with ui.element("div").classes("panes"):
            with ui.element("div").classes("pane"):
                self._make_editor(update)
            with ui.element("section").classes("pane").props('aria-label="Consequences" aria-live="polite"'):
                self._state = html("").classes("state")
                self._kept = html("")
                self._shown = html(_NOTHING).classes("consequences")
        self._offers = html("", tag="datalist").props('id="graph-offers"')
        frame.when_connected(self._prepare_editor)

    def _make_editor(self, update: str) -> None:
        kinds = [self._kind, *(kind for kind in _LANGUAGES if kind != self._kind)]
        with ui.element("div").classes("bar"):
            self._language = choice({kind: _LANGUAGES[kind] for kind in kinds}, "Language", self._choose_language)
            self._target = html(graphs.graph_field(self._graph)).classes("bar")
            self._target.on("input", self._choose_graph, js_handler="(event) => emit(event.target.value)")
            self._target.set_visibility(self._kind == _TURTLE)
        commit = self._frame.handler(self._commit, "commit")
        self._editor = Editor(update, _MODES[self._kind], "Triples or update", commit, self._on_change)
        with ui.element("div").classes("bar"):
            self._button = button("Commit", commit, is_main=True).props("disabled")
            self._stop = button("Stop", lambda: self._frame.stop("follow")).props("disabled")
            html(Markup('<span class="mark keys">Ctrl+Enter</span>'))
        if self._frame.has_role("write"):
            Files(self._frame.body_bytes, self._on_change, may_edit_rules=self._frame.has_role("admin"))
        else:
            html(Markup("<p>You may look ahead. To commit, sign in with a token of the role write.</p>"))

    async def _prepare_editor(self) -> None:
        given = self._editor.text
        self._graph = str(
            await ui.run_javascript("return document.getElementById('graph').value", timeout=_WAIT)
        ).strip()
        kept = "" if given else await ui.run_javascript("return kgreason.memory.draft('language')", timeout=_WAIT)
        for kind in (kind for kind, mode in _MODES.items() if mode == kept):
            ui.run_javascript(f"getHtmlElement({self._language.id}).value = {js_literal(kind)}")
            self._choose_language(kind)
        self._editor.prepare(self._frame.words, restores=not given)
        self._offers.set_content(graphs.graph_options(await graphs.graph_names(self._frame.calls)))
        if given:
            self._on_change()

    def _choose_language(self, kind: str) -> None:
        if kind in _LANGUAGES:
            self._kind = kind
            self._editor.element.language = _MODES[kind]  # type: ignore[assignment]
            self._target.set_visibility(kind == _TURTLE)
            ui.run_javascript(f"kgreason.memory.keep('language', {js_literal(_MODES[kind])})")
            self._on_change()

    def _choose_graph(self, event: GenericEventArguments) -> None:
        self._graph = str(event.args).strip()
        self._on_change()

    def _on_change(self) -> None:
        self._tried = None
        self._button.props("disabled")
        self._shown.classes("old")
        self._kept.set_content("")
        self._frame.start_task(self._wait_for_pause, "wait")

    async def _wait_for_pause(self) -> None:
        """Wait until the user has stopped typing for a moment. Then try the text."""
        await asyncio.sleep(_PAUSE)
        self._stale = True
        if not self._busy:
            self._frame.start_task(self._try_latest, "follow")

    async def _try_latest(self) -> None:
        self._busy = True
        try:
            while self._stale:
                self._stale = False
                await self._try_text()
        finally:
            self._busy = False

    async def _try_text(self) -> None:
        text = self._editor.text
        if not text.strip():
            self._shown.set_content(_NOTHING)
            self._shown.classes(remove="old")
            self._state.set_content("")
            return
        self._frame.show_message("")
        self._state.set_content(Markup('<span role="status">looking ahead…</span>'))
        self._stop.props(remove="disabled")
        try:
            told = await self._what_if(text)
        except asyncio.CancelledError:
            self._state.set_content(_STOPPED)
            raise
        except Problem as problem:
            self._state.set_content(
                Markup('<span class="mark">Not complete yet: {}</span>').format(
                    _shift_column(problem.detail, len(self._declared))
                )
            )
            return
        finally:
            self._stop.props("disabled")
        if text != self._editor.text:
            self._stale = True
            return
        self._tried = text, told["commit"]
        self._state.set_content(Markup('<span class="mark">{}</span>').format(self._declared) if self._declared else "")
        self._shown.set_content(consequences(told, self._frame.words))
        self._shown.classes(remove="old")
        self._frame.start_task(
            lambda: self._show_undeleted(told.get("entailed", 0), self._with_prefixes(text)), "staying"
        )
        if self._frame.has_role("write") and _has_changes(told):
            self._button.props(remove="disabled")

    async def _show_undeleted(self, count: int, update: str) -> None:
        if not count:
            return
        proofs = []
        for triple in await asyncio.to_thread(deletions, update):
            with suppress(Problem):  # the graph does not have this triple
                proofs += await self._frame.calls.json("/explain", triple=triple, all="true")
        self._kept.set_content(undeleted_markup(count, proofs, self._frame.words))

    async def _what_if(self, text: str) -> Any:
        options = {"limit": _SHOWN, "why": "true"} | (self._target_parameters() if self._graph else {})
        answer = await self._frame.calls.send(
            "POST", "/what-if", self._with_prefixes(text), self._kind, parameters=options
        )
        return await answer.json()

    def _target_parameters(self) -> dict[str, str]:
        if self._kind != _TURTLE:
            return {}
        return {"graph": self._graph} if self._graph else {"default": ""}

    def _with_prefixes(self, text: str) -> str:
        """Return the text with declarations of the known prefixes that it uses and does not declare.

        All declarations are on the first line, so that the line numbers of error messages stay right.
        """
        form = "@prefix {}: <{}> . " if self._kind == _TURTLE else "PREFIX {}: <{}> "
        self._declared = "".join(form.format(*each) for each in self._frame.words.undeclared_prefixes(text).items())
        return self._declared + text

    async def _commit(self) -> None:
        if self._tried is None or self._tried[0] != self._editor.text or not self._frame.has_role("write"):
            return
        text, commit = self._tried
        self._button.props("disabled")
        self._state.set_content(Markup('<span role="status">saving…</span>'))
        path = "/store" if self._kind == _TURTLE else "/update"
        try:
            answer = await self._frame.calls.send(
                "POST",
                path,
                self._with_prefixes(text),
                self._kind,
                parameters=self._target_parameters(),
                headers={"if-match": f'"{commit}"'},
            )
        except Problem as problem:
            self._state.set_content("")
            if problem.status != 412:
                raise
            await self._try_text()
            self._frame.show_message(
                "Somebody has changed the graph meanwhile. Look at the consequences again, then commit."
            )
            return
        number, came, went = (answer.headers[f"kgreason-{name}"] for name in ("commit", "appeared", "disappeared"))
        self._editor.text = ""
        self._state.set_content("")
        self._frame.show_message(f"Commit {number} is saved: {came} triples appeared, and {went} disappeared.", "done")


def _shift_column(message: str, shift: int) -> str:
    """Correct the column in an error message. `_with_prefixes` has put `shift` characters before the first line."""

    def place(found: re.Match[str]) -> str:
        line, column = int(found[1]), int(found[2])
        return f"line {line}, column {column - shift if line == 1 else column}"

    return _PLACE.sub(place, message)


def _has_changes(told: dict[str, Any]) -> bool:
    counts = told["counts"]
    return bool(counts["asserted"] or counts["retracted"])
