"""Dictionaries that a commit may change and take back: the undo log, and an index kept through it.

    log.put(table, key, value)      table[key] = value, and what was there before is remembered
    log.drop(table, key)            del table[key], likewise
    log.commit()                    the changes stay: the log forgets
    log.rollback()                  all changes since the last commit are taken back, the last one first

Law: after `rollback` every table equals what it was at the last `commit`, the order of its keys aside, whatever came in
between; an interrupt inside a change or inside `rollback` itself does no harm, as long as `rollback` is called again.
Cost: one entry a change, none for what is left alone.
"""

from __future__ import annotations

from collections.abc import Hashable, KeysView
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_ABSENT = object()


class UndoLog:
    """What the tables held before the commit that is under way."""

    def __init__(self) -> None:
        self._entries: list[tuple[dict[Any, Any], Any, Any]] = []

    def put(self, table: dict[K, V], key: K, value: V) -> None:
        """Set `table[key]`."""
        self._entries.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def drop(self, table: dict[K, V], key: K) -> V:
        """Take `key` out of a table; what it stood for."""
        value = table[key]
        self._entries.append((table, key, value))
        del table[key]
        return value

    def commit(self) -> None:
        """Forget what was before."""
        self._entries.clear()

    def rollback(self) -> None:
        """Take every change since the last commit back."""
        while self._entries:
            table, key, before = self._entries[-1]
            if before is _ABSENT:
                table.pop(key, None)
            else:
                table[key] = before
            self._entries.pop()


class Index(Generic[K, V]):
    """Values under keys, each once under a key; a key without values is not kept."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._found: dict[K, dict[V, None]] = {}

    def at(self, key: K) -> KeysView[V]:
        """The values under a key."""
        return self._found.get(key, {}).keys()

    def add(self, key: K, value: V) -> None:
        """Put a value under a key."""
        values = self._found.get(key)
        if values is None:
            self._log.put(self._found, key, {value: None})
        else:
            self._log.put(values, value, None)

    def discard(self, key: K, value: V) -> None:
        """Take a value that is under a key away."""
        values = self._found[key]
        self._log.drop(values, value)
        if not values:
            self._log.drop(self._found, key)
