"""The commits that a graph keeps in its history: when each was made and by whom, and the commit at a moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from markupsafe import Markup

from kgreason.server.console.calls import Calls
from kgreason.server.problems import Problem

_MOST = 10_000
Head: TypeAlias = Mapping[str, Any]
"""What /commits says of a commit: its `commit`, `time`, counts, and `author` if the server knows him."""


async def heads(calls: Calls, limit: int) -> list[Head] | None:
    """Return the last commits, the newest first; None if the graph keeps no history."""
    try:
        found: list[Head] = await calls.json("/commits", limit=limit)
    except Problem as problem:
        if problem.status != 404:
            raise
        return None
    return found


async def commit_of(calls: Calls, text: str) -> int | None:
    """Return the commit that a user names by its number or by a time; None if `text` is empty.

    At a time, that is the last commit that was made until then. A time without an offset is in UTC. Raises Problem.
    """
    text = text.strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return int(text[:18])
    moment = _moment(text)
    found = await heads(calls, _MOST)
    if found is None:
        raise Problem(404, "the graph keeps no history, so a time names no commit: load it with --history all")
    return commit_at(moment, found, text)


def commit_at(moment: datetime, found: Sequence[Head], text: str) -> int:
    """Return the newest of the commits `found` that was made at or before `moment`, which the user wrote as `text`.

    Raises Problem if all were made later.
    """
    made = (head["commit"] for head in found if datetime.fromisoformat(head["time"]) <= moment)
    if (commit := next(made, None)) is None:
        raise Problem(404, f"the history has no commit until {text}")
    return int(commit)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Problem(
            400, f"{text} is not a commit: write its number, or a time such as 2026-02-14 or 2026-02-14T09:30"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def time_and_author(head: Head | None) -> Markup:
    """Show when a commit was made and by whom, as far as the server knows it."""
    if not head or "time" not in head:
        return Markup("")
    text = str(head["time"])
    shown = text[:19].replace("T", " ") + (" UTC" if text.endswith("Z") else text[19:])
    author = Markup(" by <strong>{}</strong>").format(head["author"]) if head.get("author") else Markup("")
    return Markup('<time datetime="{}">{}</time>{}').format(text, shown, author)


def commit_options(found: Iterable[Head]) -> Markup:
    """Make the options of a list of commits."""
    option = Markup('<option value="{}">{}</option>')
    parts = (option.format(each["commit"], time_and_author(each).striptags()) for each in found)
    return Markup("").join(parts)
