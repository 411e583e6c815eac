"""The page Shapes: the shapes of the graph with their focus nodes and results, and the results, each with its proof.

The results are grouped by shape or by node, as the user chooses. A shape in the table leads to its own results. A proof
is read when the user opens it, because a page may show many results.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup
from nicegui import ui
from starlette.requests import Request

from kgreason.server.console.frame import Frame, button, choice, html
from kgreason.server.console.markup import Row, empty_notice, link, table, term
from kgreason.server.console.results import result, severity, shape_address
from kgreason.server.console.results import shape as shape_name
from kgreason.server.console.tree import tree
from kgreason.shapes.vocabulary import RESULT

_SHOWN = 100
_GROUPS = {"source_shape": "by shape", "focus": "by node"}
_SEVERITIES = {"": "all severities", "Violation": "violations", "Warning": "warnings", "Info": "infos"}
_NONE = empty_notice(
    "The graph has no shapes",
    Markup("PUT a document of SHACL to <code>/shapes</code>, or load it with <code>kgreason shapes load</code>."),
)
_CONFORMS = empty_notice("No result", "If an edit would bring one, the page Edit says so before you commit.")


async def shapes_page(request: Request, shape: str = "", focus: str = "") -> None:
    """Make the page Shapes. `shape` and `focus` are N-Triples texts: only results of this shape or node are shown."""
    with Frame(request, "Shapes") as frame:
        page = _Shapes(frame, {"shape": shape or None, "focus": focus or None})
    frame.when_connected(page.load)


class _Shapes:
    def __init__(self, frame: Frame, part: dict[str, str | None]) -> None:
        self._frame, self._part = frame, part
        self._group, self._severity = next(iter(_GROUPS)), ""
        self._report: dict[str, Any] = {}
        self._table = html("")
        self._bar = ui.element("div").classes("bar")
        with self._bar:
            choice(_GROUPS, "Group the results", self._choose_group)
            choice(_SEVERITIES, "Severity", self._choose_severity)
            self._state = html("").classes("state").props('role="status"')
        self._bar.set_visibility(False)
        self._results = ui.element("div").classes("results")

    async def load(self) -> None:
        """Read the report, and show it."""
        given = {**self._part, "severity": self._severity or None, "language": self._frame.language or None}
        self._report = await self._frame.calls.json("/validate", shapes="true", limit=_SHOWN, **given)
        self._table.set_content(shapes(self._report["shapes"], self._frame) if self._report["shapes"] else _NONE)
        self._bar.set_visibility(bool(self._report["shapes"]))
        self._show()

    def _choose_group(self, group: str) -> None:
        if group in _GROUPS:
            self._group = group
            self._show()

    def _choose_severity(self, chosen: str) -> None:
        if chosen in _SEVERITIES:
            self._severity = chosen
            self._frame.start_task(self.load, "report")

    def _show(self) -> None:
        report, grouped = self._report, dict[str, list[dict[str, Any]]]()
        for each in report["results"]:
            grouped.setdefault(each[self._group], []).append(each)
        self._state.set_content(self._count_markup())
        self._results.clear()
        with self._results:
            if report["shapes"] and not report["results"]:
                html(_CONFORMS)
            for name, results in grouped.items():
                self._show_group(name, results)

    def _count_markup(self) -> Markup:
        count, shown = self._report["count"], len(self._report["results"])
        text = f"{count:,} {'result' if count == 1 else 'results'}"
        text += f"; these are the first {shown}" if shown < count else ""
        is_part = any(self._part.values())
        return Markup("{} {}").format(text, link("/console/shapes", "show all") if is_part else "")

    def _show_group(self, name: str, results: list[dict[str, Any]]) -> None:
        words, is_shape = self._frame.words, self._group == "source_shape"
        known = {each["shape"]: each for each in self._report["shapes"]}
        with ui.element("section").classes("group"):
            title = shape_name(known[name], words) if is_shape and name in known else term(name, words)
            html(Markup("<h2>{}</h2>").format(title))
            for each in results:
                self._show_result(each, is_shape=is_shape)

    def _show_result(self, found: dict[str, Any], *, is_shape: bool) -> None:
        words = self._frame.words
        with ui.element("div").classes("result"):
            with ui.element("div").classes("bar"):
                html(result(found, words, with_node=is_shape))
                button("Proof", self._frame.handler(lambda: self._prove(found, place), str(found["fact"]))).classes(
                    "plain"
                )
            place = html("")

    async def _prove(self, found: dict[str, Any], place: ui.html) -> None:
        """Show the proof of a result, or take it away if it is shown."""
        if place.content:
            place.set_content("")
            return
        proof = await self._frame.calls.json("/explain", relation=RESULT, term=found["fact"], folded="true")
        place.set_content(tree(proof, self._frame.words))


def shapes(found: Iterable[dict[str, Any]], frame: Frame) -> Markup:
    """Show the shapes in a table: how many focus nodes and results each has; those with results come first."""
    rows = []
    for each in sorted(found, key=lambda each: (-each["results"], -each["focus"])):
        count = f"{each['results']:,}"
        shown = link(shape_address(each["shape"]), count) if each["results"] else count
        note = Markup(' <span class="mark">deactivated</span>') if each["deactivated"] else ""
        rows.append(Row([shape_name(each, frame.words) + note, severity(each), f"{each['focus']:,}", shown]))
    return table(["shape", "severity", "focus nodes", "results"], rows, label="Shapes", numbers=(2, 3))
