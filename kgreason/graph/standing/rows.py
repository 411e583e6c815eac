"""`Rows`: the solutions of a standing query, as a bag, indexed by the values of some of their variables.

Law: `replace(bindings, found)` first removes all solutions that have the values of a binding, and then adds `found`.
Cost: proportional to the solutions that are removed or added. When `replace` gets bindings of a set of variables for
the first time, it looks at all solutions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

Row: TypeAlias = tuple[str | None, ...]
"""The values of variables as N-Triples text; None for a variable without a value."""
Bindings: TypeAlias = Mapping[tuple[str, ...], set[tuple[str, ...]]]
"""Values of variables, by the names of the variables."""


class Rows:
    """A bag of rows. `columns` are the names of the variables whose values a row has."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._place = {name: place for place, name in enumerate(columns)}
        self.counts: Counter[Row] = Counter()
        self._indexes: dict[tuple[str, ...], dict[Row, set[Row]]] = {}

    def replace(self, bindings: Bindings, found: Iterable[Row]) -> Counter[Row]:
        """Remove the rows that have the values of at least one of the bindings, and add the rows `found`.

        Returns by how much the count of each row has changed.
        """
        change: Counter[Row] = Counter()
        for names, values in bindings.items():
            index = self._index(names)
            for value in values:
                for row in index.get(value, ()):
                    change[row] = -self.counts[row]
        return self._apply(change, found)

    def replace_all(self, found: Iterable[Row]) -> Counter[Row]:
        """Remove all rows, and add the rows `found`. Returns by how much the count of each row has changed."""
        return self._apply(Counter({row: -count for row, count in self.counts.items()}), found)

    def _apply(self, change: Counter[Row], found: Iterable[Row]) -> Counter[Row]:
        change.update(found)
        changed = Counter({row: count for row, count in change.items() if count})
        for row, count in changed.items():
            was = self.counts[row]
            if was + count:
                self.counts[row] = was + count
            else:
                del self.counts[row]
            if bool(was) != bool(was + count):
                self._note_row(row, is_there=bool(was + count))
        return changed

    def _note_row(self, row: Row, *, is_there: bool) -> None:
        for names, index in self._indexes.items():
            key = self._key(row, names)
            if is_there:
                index.setdefault(key, set()).add(row)
            else:
                index[key].discard(row)
                if not index[key]:
                    del index[key]

    def _index(self, names: tuple[str, ...]) -> dict[Row, set[Row]]:
        if (index := self._indexes.get(names)) is None:
            index = self._indexes[names] = {}
            for row in self.counts:
                index.setdefault(self._key(row, names), set()).add(row)
        return index

    def _key(self, row: Row, names: tuple[str, ...]) -> Row:
        return tuple([row[self._place[name]] for name in names])
