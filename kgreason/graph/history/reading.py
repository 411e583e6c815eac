"""The history of a graph, as users ask it: log, changes, deltas. Cost: reading the entries that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kgreason.errors import HistoryError
from kgreason.interrupts import let_out
from kgreason.options import check_count
from kgreason.rules.model import Relation
from kgreason.store.history.entry import Head
from kgreason.store.history.log import History, missing_commit_error
from kgreason.store.homes.home import Home, closed_error

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta


def history_of(home: Home, *commits: int) -> History:
    """Return the history. Raises HistoryError if the graph keeps none, or if the history lacks one of `commits`."""
    history, last = home.history, home.last
    if home.is_closed:
        raise closed_error()
    if history is None:
        raise HistoryError('the graph keeps no history; open it with history="all", and it keeps the next commits')
    for commit in commits:
        check_count("commit", commit, 0)
        if commit > last:
            raise HistoryError(f"there is no commit {commit}; the last commit is {last}")
        if commit < history.base:
            raise missing_commit_error(commit, history.base)
    return history


def heads(home: Home, limit: int | None) -> list[Head]:
    """Return the heads of the last commits, the newest first; at most `limit` of them."""
    if limit is not None:
        check_count("limit", limit, 0)
    history, last = history_of(home), home.last
    first = history.base if limit is None else max(history.base, last - limit)
    found = []
    for each in history.heads(first, last):
        let_out()
        found.append(each)
    return found[::-1]


def head(home: Home, commit: int) -> Head:
    """Return the head of one commit."""
    check_count("commit", commit, 1)
    return next(history_of(home, commit, commit - 1).heads(commit - 1, commit))


def changes(home: Home, before: int, after: int, declared: Mapping[str, Relation]) -> Delta:
    """Return what changed from commit `before` to `after`. `declared` are the declarations of relations, by name."""
    from kgreason.graph.history.deltas import delta_of

    entries = history_of(home, before, after).entries(min(before, after), max(before, after))
    return delta_of(entries, after, declared, back=after < before)


def deltas_since(home: Home, commit: int, declared: Mapping[str, Relation]) -> Iterator[Delta]:
    """Iterate over the deltas of the commits after `commit`, up to the last one at the time of the call."""
    from kgreason.graph.history.deltas import delta_of

    entries = history_of(home, commit).entries(commit, home.last)
    return (delta_of([entry], entry.head.commit, declared) for entry in entries)
