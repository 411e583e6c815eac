"""An undo log for changes of Python dicts, and an index that uses the log.

    log.put(table, key, value)      table[key] = value, and the former value is remembered
    log.drop(table, key)            del table[key], likewise
    log.put_all(table, fresh)       table |= fresh, for keys that the table lacks
    log.commit()                    make the changes final: the log forgets them
    log.rollback()                  undo all changes since the last commit, the last one first

Law: after `rollback` every table equals what it was at the last `commit`, except for the order of its keys. An
interrupt inside a change or inside `rollback` does no harm, as long as `rollback` is called again.
Cost: one entry for each change, and one for all of `put_all`; tables that do not change cost nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, KeysView
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_ABSENT, _FRESH = object(), object()


class UndoLog:
    """What was changed in some Python dicts since the last commit: for each change, the former value of the key."""

    def __init__(self) -> None:
        self._entries: list[tuple[dict[Any, Any], Any, Any]] = []

    def put(self, table: dict[K, V], key: K, value: V) -> None:
        """Set `table[key] = value`, and remember the former value."""
        self._entries.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def drop(self, table: dict[K, V], key: K) -> V:
        """Remove `key` from the dict `table`, and remember its value. Returns the value."""
        value = table[key]
        self._entries.append((table, key, value))
        del table[key]
        return value

    def put_all(self, table: dict[K, V], fresh: dict[K, V]) -> None:
        """Add the items of `fresh` to `table`, which has none of these keys. Do not change `fresh` afterwards."""
        self._entries.append((table, _FRESH, fresh))
        table |= fresh

    def commit(self) -> None:
        """Make all changes final: forget the former values."""
        self._entries.clear()

    def rollback(self) -> None:
        """Undo every change since the last commit."""
        while self._entries:
            table, key, before = self._entries[-1]
            if key is _FRESH:
                for each in before:
                    table.pop(each, None)
            elif before is _ABSENT:
                table.pop(key, None)
            else:
                table[key] = before
            self._entries.pop()


class Index(dict[K, dict[V, None]]):
    """A dict from keys to sets of values. All its changes go into an undo log. A key without values is removed."""

    def __init__(self, log: UndoLog) -> None:
        super().__init__()
        self._log = log

    def at(self, key: K) -> KeysView[V]:
        """Return the values under a key."""
        return self.get(key, {}).keys()

    def add(self, key: K, value: V) -> None:
        """Add a value to the set of a key."""
        values = self.get(key)
        if values is None:
            self._log.put(self, key, {value: None})
        else:
            self._log.put(values, value, None)

    def add_all(self, pairs: Iterable[tuple[K, V]]) -> None:
        """Add many pairs of a key and a value. The log has one entry for all keys that are new."""
        fresh: dict[K, dict[V, None]] = {}
        for key, value in pairs:
            if key in self:
                self.add(key, value)
            else:
                fresh.setdefault(key, {})[value] = None
        self._log.put_all(self, fresh)

    def discard(self, key: K, value: V) -> None:
        """Remove a value from the set of a key. Raises KeyError if the value is not there."""
        values = self[key]
        self._log.drop(values, value)
        if not values:
            self._log.drop(self, key)
