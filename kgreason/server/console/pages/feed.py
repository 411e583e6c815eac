"""The page Feed: commits as they come, with their changes (/changes), and a button to take a commit back (/revert).

If the graph keeps its history, the page shows when each commit was made and by whom (/commits), and a commit can be
taken back. The page asks first.
"""

from __future__ import annotations

from typing import Any

import orjson
from markupsafe import Markup
from nicegui import ui
from starlette.requests import Request

from kgreason.server.console.controls.past import Head, heads, time_and_author
from kgreason.server.console.frame import Frame, button, html
from kgreason.server.console.markup import Row, badge, empty_notice, table, triple
from kgreason.server.console.vocabulary import Words
from kgreason.server.problems import Problem

_SHOWN, _KEPT, _OPEN = 100, 50, 8
_LARGE = 1 << 20
_WAITING = empty_notice(
    "No commit since the server began", "Commits appear here as they are saved, by you and by others."
)


async def feed_page(request: Request) -> None:
    """Make the page Feed."""
    with Frame(request, "Feed") as frame:
        page = _Feed(frame)
    frame.when_connected(page.follow)


class _Feed:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._empty = html(_WAITING)
        self._empty.set_visibility(False)
        self._commits = ui.element("div").classes("feed").props('role="feed" aria-label="Commits"')
        self._shown: list[ui.element] = []
        self._heads: dict[int, Head] | None = {}
        """The commits of the history by their numbers; None if the graph keeps no history."""

    async def follow(self) -> None:
        """Show the commits that the server still has, and then every new one, until the page is left."""
        first, last = await self._first_and_last()
        if first == last:
            self._empty.set_visibility(True)
            self._frame.hide_loading()
        async with self._frame.calls.open("GET", "/changes", {"after": first}) as answer:
            rest = b""
            async for piece in answer.pieces:
                *events, rest = (rest + piece).split(b"\n\n")
                for event in events:
                    if b"\ndata:" in event:
                        await self._show(event)

    async def _first_and_last(self) -> tuple[int, int]:
        """Return two numbers of commits: the page shows the commits after the first one, and the second is the last.

        The server still has all commits after the first one. At the time of the call, there are at most `_KEPT` of
        them.
        """
        commit = int((await self._frame.calls.json("/health", live="true"))["commit"])
        try:
            async with self._frame.calls.open("GET", "/changes", {"after": 0}):
                return max(0, commit - _KEPT), commit
        except Problem as problem:
            if problem.status != 410:
                raise
            return max(int((problem.headers or {}).get("kgreason-after", commit)), commit - _KEPT), commit

    async def _head_of(self, number: int) -> Head | None:
        if self._heads is not None and number not in self._heads:
            found = await heads(self._frame.calls, _KEPT)
            self._heads = None if found is None else {each["commit"]: each for each in found}
        return None if self._heads is None else self._heads.get(number)

    async def _show(self, event: bytes) -> None:
        lines, _, data = event.partition(b"data: ")
        number = int(lines.split(b"\n")[0].removeprefix(b"id:"))
        told: dict[str, Any] = {} if len(data) > _LARGE else orjson.loads(data)
        known: dict[str, Any] = {name: told[name] for name in ("time", "author") if name in told}
        head = {**(await self._head_of(number) or {}), **known}
        self._empty.set_visibility(False)
        self._frame.hide_loading()
        with self._commits, ui.element("article") as element:
            html(commit_markup(number, told, head, self._frame.words))
            if self._frame.has_role("write") and self._heads is not None:
                revert = self._frame.handler(lambda: self._revert(number, head), "revert")
                button("Take back", revert).classes("plain").props(f'aria-label="Take commit {number} back"')
        element.props(f'aria-label="Commit {number}" tabindex="0"').move(target_index=0)
        self._shown.append(element)
        if len(self._shown) > _KEPT:
            self._shown.pop(0).delete()

    async def _revert(self, number: int, head: Head) -> None:
        if not await _confirm_revert(number, head):
            return
        async with self._frame.calls.open("POST", "/revert", {"commit": number}) as answer:
            told = await answer.json()
        conflicts = "".join(f" {each}." for each in told["conflicts"][:5])
        self._frame.show_message(f"Commit {number} was taken back by commit {told['commit']}.{conflicts}", "done")


async def _confirm_revert(number: int, head: Head) -> bool:
    with ui.dialog().props(f'aria-label="Take commit {number} back"') as dialog, ui.element("div").classes("dialog"):
        html(revert_question(number, head))
        with ui.element("div").classes("bar"):
            button("Take back", lambda: dialog.submit(True), is_main=True)
            button("Cancel", lambda: dialog.submit(False))
    try:
        return bool(await dialog)
    finally:
        dialog.delete()


def revert_question(number: int, head: Head) -> Markup:
    """Ask whether to take a commit back. `head` says when it was made, by whom, and how much it changed."""
    counts = [head.get(name, 0) for name in ("asserted", "retracted")]
    return Markup(
        "<h2>Take commit {} back?</h2><p>{}</p><p>It asserted {} and retracted {} triples. A new commit undoes this."
        " Later commits stay.</p>"
    ).format(number, time_and_author(head), *(f"{count:,}" for count in counts))


def commit_markup(number: int, told: dict[str, Any], head: Head, words: Words) -> Markup:
    """Show a commit as HTML. `told` is the JSON in the event of the commit; it is empty if the commit is too large."""
    if not told:
        return Markup("<h2>Commit {}</h2><p>{} It is too large to be shown here.</p>").format(
            number, time_and_author(head)
        )
    came, went = told["appeared"], told["disappeared"]
    counts = f"{_count(came)} appeared, {_count(went)} disappeared"
    results = told["results"]
    if any(results.values()):
        counts += f"; {len(results['appeared']):,} validation results came, {len(results['disappeared']):,} went"
    rows = [
        Row([sign, triple(each, words), badge(kind == "asserted")], name)
        for sign, name, found in (("+", "appeared", came), ("-", "disappeared", went))
        for kind in ("asserted", "inferred")
        for each in found[kind]
    ]
    inner = table(["", "triple", ""], rows[:_SHOWN], label=f"Changes of commit {number}") if rows else ""
    more = Markup("<p>and {} more</p>").format(len(rows) - _SHOWN) if len(rows) > _SHOWN else ""
    text = Markup(
        '<details{}><summary><strong>Commit {}</strong> <span class="mark">{}</span> <span class="mark">{}</span>'
        "</summary>{}{}</details>"
    )
    return text.format(
        Markup(" open") if len(rows) <= _OPEN else "", number, counts, time_and_author(head), inner, more
    )


def _count(found: dict[str, list[Any]]) -> str:
    return f"{len(found['asserted']) + len(found['inferred']):,}"
