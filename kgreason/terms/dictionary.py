"""`Dictionary`: gives each RDF term an int32 id, and finds the term of an id. No other place has the texts of terms.

The text of a term is its canonical N-Triples form in UTF-8: `<http://e/a>`, `_:b`, `"x"@en`, `"1"^^<...#integer>`,
`<<( ... )>>`. The names of n-ary relations (`tc/2`) are interned too. The first bytes of a text show its `Kind`. Ids
are dense from 1, in the order in which terms were first interned; id 0 stands for no term. The terms of `VOCABULARY`
come first, so that their ids are the same in every dictionary.

Laws: `decode(intern(texts)) == texts`. Equal texts have equal ids, and different texts have different ids. The term of
an id never changes, with one exception: `truncate` removes the newest terms, and their ids are used again. So whoever
remembers something about terms by their ids, for longer than a commit, registers by `notify_of_truncation`:
then `truncate` says which terms to forget.

Cost: for each term its text, 8 bytes for an offset and 13 to 26 bytes for hash slots; no Python object. A saved
dictionary is three `.npy` files with room behind them, which `load` maps into memory. So opening takes no time, and new
terms take no copy of the others: they go into the room, where only this process sees them. Reading (`decode`, `kinds`,
`lines`) loads only the parts of the files that it needs, and imports no Numba. `lines` writes 35 million rows a second
with a kernel, and 2.5 million without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from kgreason.errors import LimitError, LongTermError, StoreError
from kgreason.files import allocate, store_error
from kgreason.interrupts import undivided
from kgreason.npy import map_file
from kgreason.terms.tags import has_capitals
from kgreason.terms.vocabulary import VOCABULARY

if TYPE_CHECKING:
    from kgreason.terms.interning import Table

Ids = npt.NDArray[np.int32]

MAX_ID = 2**31 - 1
LONGEST = 16_000_000
"""The largest number of bytes of a term: slightly less than the limit, 16 MiB, of the parser through which rows pass on
their way to the store."""


class Kind(IntEnum):
    """The kind of term that an id stands for; `NONE` is id 0."""

    NONE = 0
    IRI = 1
    BLANK = 2
    LITERAL = 3
    TRIPLE = 4
    RELATION = 5


_FIRST_BYTE = np.full(256, Kind.RELATION, np.uint8)
_FIRST_BYTE[[ord("<"), ord("_"), ord('"')]] = Kind.IRI, Kind.BLANK, Kind.LITERAL

_ROWS = 10_000
"""The number of rows that `lines` writes at a time without a kernel: few enough for the CPU cache."""
_FEW = 16
"""At most 16 rows are written one by one, without a kernel and without a table of their terms."""
_PART = 1 << 18
"""The number of ids that `are_rdf` looks at together."""
_SHORT = 1000
"""`are_rdf` reads the kinds of three columns in one call if the columns have fewer ids than this number."""
_SUBJECT = np.isin(np.arange(len(Kind)), [Kind.IRI, Kind.BLANK])
_OBJECT = np.isin(np.arange(len(Kind)), [Kind.IRI, Kind.BLANK, Kind.LITERAL, Kind.TRIPLE])
_TAG_ENDS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", np.uint8)
_LONGEST_TAG = 64
"""`literals_with_capitals` looks at so many last bytes of all tags together. Longer tags are looked at one by one."""
_LARGE, _ROOMY = 1 << 20, 8
"""If `truncate` leaves a hash table of more than 2**20 slots with room for more than eight times its terms, the table
shrinks, so that terms that were dropped do not keep memory."""
_FILES = ("arena", "offsets", "slots")
_MORE_TEXT = 1 << 16
"""So many bytes of room a saved arena has at least."""


class TermMemory(Protocol):
    """What remembers something about terms by their ids."""

    def forget(self, count: int) -> None:
        """Forget everything about the terms with ids above `count`. A call may be repeated."""


class Dictionary:
    """Holds all terms with their ids.

    One thread may intern while other threads read: terms are only appended, and a new array replaces an array that is
    too small.
    """

    def __init__(self, first: Iterable[str] = VOCABULARY) -> None:
        self._arena = np.empty(1 << 16, np.uint8)
        self._slots = np.zeros(1 << 11, np.uint64)
        self._offsets = np.zeros(_capacity(self._slots.size) + 2, np.int64)
        self._count = 0
        self._told: WeakSet[TermMemory] = WeakSet()
        if first:
            self.intern(first)

    def __len__(self) -> int:
        """Return the number of terms, which is also the largest id."""
        return self._count

    @property
    def nbytes(self) -> int:
        """The number of bytes of the arrays, including their room to grow."""
        return self._arena.nbytes + self._offsets.nbytes + self._slots.nbytes

    def intern(self, texts: Iterable[str]) -> Ids:
        """Return the ids of texts, int32[n]. A new text gets the next id.

        Raises LimitError at the first new text for which no id is left; the texts before this text stay interned.
        Raises LongTermError for a text of more than `LONGEST` bytes, before any text is interned.
        """
        return self.intern_packed(*_pack(texts))

    def intern_packed(self, text: npt.NDArray[np.uint8], bounds: npt.NDArray[np.int64]) -> Ids:
        """Do the same as `intern`, for n texts that are in one UTF-8 buffer: `text` uint8[m], `bounds` int64[n + 1].

        Text number i is `text[bounds[i]:bounds[i + 1]]`.
        """
        from kgreason.terms.interning import intern_all

        if text.size > LONGEST:
            longest = int(np.diff(bounds).argmax())
            check_length(text[bounds[longest] : bounds[longest + 1]])
        ids = np.empty(bounds.size - 1, np.int32)
        done, table = 0, self.table()
        with undivided():  # the hash table has the terms before they count
            while done < ids.size:
                done, self._count = intern_all(table, self._count, text, bounds, done, ids)
                if done < ids.size:
                    self.make_room(int(bounds[done + 1] - bounds[done]))
                    table = self.table()
        return ids

    def merge(self, other: Dictionary) -> Ids:
        """Intern all terms of another dictionary, in the order of their ids.

        Returns for each id of `other`, from 0 on, the id of the same term here: int32[n + 1]. Errors are as for
        `intern`.
        """
        count = len(other)
        ids = np.zeros(count + 1, np.int32)
        ids[1:] = self.intern_packed(other._arena[: other._offsets[count + 1]], other._offsets[1 : count + 2])
        return ids

    def find(self, texts: Iterable[str]) -> Ids:
        """Return the ids of texts, int32[n]; 0 for a text that has no id."""
        from kgreason.terms.interning import find_all

        text, bounds = _pack(texts)
        ids = np.empty(bounds.size - 1, np.int32)
        find_all(self.table(), text, bounds, ids)
        return ids

    def decode(self, ids: npt.ArrayLike) -> list[str]:
        """Return the texts of ids. The text of id 0 is empty."""
        return [str(text, "utf-8") for text in self._texts(np.asarray(ids, np.int64))]

    def first_terms(self, ids: Ids, groups: npt.NDArray[np.int64]) -> Ids:
        """Return for each group the term that comes first: int32[g].

        `groups[i]`, from 0 to g - 1, is the group of the term `ids[i]`; every group must have a term. IRIs come first,
        then blank nodes, literals and triple terms. Terms of one kind are ordered by their UTF-8 bytes. Cost: one
        comparison for each term.
        """
        from kgreason.compiled import are_kernels_ready

        found = np.zeros(int(groups.max(initial=-1)) + 1, np.int32)
        if not are_kernels_ready():  # reading a store does not wait for Numba
            return self._first_terms_without_kernel(ids, groups, found)
        from kgreason.terms.interning import find_firsts

        find_firsts(self.table(), ids, groups, found)
        return found

    def _first_terms_without_kernel(self, ids: Ids, groups: npt.NDArray[np.int64], found: Ids) -> Ids:
        """Do the same as `first_terms`, without a kernel. The result is written to `found`."""
        ranks = [0 if kind in (Kind.IRI, Kind.RELATION) else kind for kind in self.kinds(ids).tolist()]
        best: dict[int, tuple[int, bytes]] = {}
        for term, group, rank, text in zip(ids.tolist(), groups.tolist(), ranks, self._texts(ids), strict=True):
            key = rank, bytes(text)
            if group not in best or key < best[group]:
                best[group], found[group] = key, term
        return found

    def kinds(self, ids: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """Return the kind (a value of `Kind`) of the term of each id: uint8[n]."""
        ids = np.asarray(ids, np.int64)
        start, last = self._offsets[ids], self._arena.size - 1
        first = self._arena[np.minimum(start, last)]
        second = self._arena[np.minimum(start + 1, last)]
        kinds: npt.NDArray[np.uint8] = _FIRST_BYTE[first]
        kinds[(first == ord("<")) & (second == ord("<"))] = Kind.TRIPLE
        kinds[self._offsets[ids + 1] == start] = Kind.NONE
        return kinds

    def typed_lengths(self, ids: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the number of bytes of the text of each literal with a datatype, 0 for other terms: int64[n]."""
        ids = np.asarray(ids, np.int64)
        starts, ends = self._offsets[ids], self._offsets[ids + 1]
        is_typed = (self._arena[starts] == ord('"')) & (self._arena[ends - 1] == ord(">"))
        return np.where(is_typed, ends - starts, 0)

    def typed_literals(self, after: int) -> Ids:
        """Return the ids above `after` of literals whose text names a datatype (`"1"^^<...>`), ascending: int32[n]."""
        ids = np.arange(after + 1, self._count + 1, dtype=np.int32)
        first, last = self._arena[self._offsets[ids]], self._arena[self._offsets[ids + 1] - 1]
        found: Ids = ids[(first == ord('"')) & (last == ord(">"))]
        return found

    def literals_with_capitals(self, after: int) -> Ids:
        """Return the ids above `after` of literals whose language tag has a capital letter, ascending: int32[n].

        Cost: a look at each byte of a tag.
        """
        ids = np.arange(after + 1, self._count + 1, dtype=np.int32)
        ids = ids[self._arena[self._offsets[ids]] == ord('"')]
        if not len(ids):  # as after most commits
            return np.empty(0, np.int32)
        last = self._offsets[ids + 1] - 1
        is_tagged = np.isin(self._arena[last], _TAG_ENDS)
        ids, last = ids[is_tagged], last[is_tagged]
        found = [np.empty(0, np.int32)]
        for _ in range(_LONGEST_TAG):
            byte = self._arena[last]
            is_capital = (byte >= ord("A")) & (byte <= ord("Z"))
            found.append(ids[is_capital])
            goes_on = ~is_capital & (byte != ord("@"))
            ids, last = ids[goes_on], last[goes_on] - 1
            if not len(ids):
                break
        found.append(ids[np.array([has_capitals(text) for text in self.decode(ids)], dtype=np.bool_)])
        return np.sort(np.concatenate(found))

    def are_rdf(self, rows: Ids) -> npt.NDArray[np.bool_]:
        """Return for each row int32[n, w] whether its first three columns are an RDF triple: bool[n].

        Otherwise they are a generalised triple. A triple is *generalised* if its subject is a literal or a triple term,
        or if its predicate is not an IRI. Rules may derive generalised triples, but only the engine holds such triples.
        They are never stored, printed or shown to a query.
        """
        columns = rows[:, :3].T
        if columns.shape[1] > self._count:  # more rows than terms: look at each term once, in order
            kinds = np.concatenate([self.kinds(part) for part in self._ids_in_parts()])
            is_rdf: npt.NDArray[np.bool_] = (kinds == Kind.IRI)[columns[1]]
            is_rdf &= _SUBJECT[kinds][columns[0]]
            is_rdf &= _OBJECT[kinds][columns[2]]
            return is_rdf
        # one call for all columns, which large ones have no memory for
        subject, predicate, object_ = self.kinds(columns) if columns.shape[1] < _SHORT else map(self.kinds, columns)
        found: npt.NDArray[np.bool_] = (predicate == Kind.IRI) & _SUBJECT[subject] & _OBJECT[object_]
        return found

    def _ids_in_parts(self) -> Iterator[Ids]:
        """Yield id 0 and all ids of terms, ascending, in arrays that fit into the CPU cache."""
        for first in range(0, self._count + 1, _PART):
            yield np.arange(first, min(first + _PART, self._count + 1), dtype=np.int32)

    def has_literals(self, after: int) -> bool:
        """Whether the dictionary has a literal with an id above `after`. Cost: a look at the terms up to the first."""
        starts, quotes = self._offsets[after + 1 : self._count + 1], ord('"')
        return any((self._arena[starts[at : at + _PART]] == quotes).any() for at in range(0, len(starts), _PART))

    def lines(self, *columns: Ids) -> bytes:
        """Return rows of ids, given as columns, as N-Triples or N-Quads lines. Id 0 (default graph) is left out."""
        if len(columns[0]) <= _FEW:
            return self._lines_without_kernel(columns)
        rows = np.stack(columns, axis=1).astype(np.int32, copy=False)
        if (fast := self._lines_by_kernel(rows)) is not None:
            return fast
        number = np.empty(self._count + 1, np.int32)
        return b"".join(self._lines(rows[first : first + _ROWS], number) for first in range(0, len(rows), _ROWS))

    def truncate(self, count: int) -> None:
        """Remove every term with an id above `count`, for example after a load that failed.

        No fact may use these terms.
        """
        if count < self._count:
            for each in self._told:
                each.forget(count)
            size = self._size_for(count)
            is_smaller = size < self._slots.size
            self._rehash(count, size)
            self._count = count
            if is_smaller:
                used = int(self._offsets[count + 1])
                self._offsets = _resize(self._offsets, count + 2, _capacity(size) + 2)
                self._arena = _resize(self._arena, used, used + max(_MORE_TEXT, used // 2))

    def _size_for(self, count: int) -> int:
        """Return the size of the hash table for `count` terms: the present size, or less if it is large and empty."""
        size = self._slots.size
        while size > _LARGE and _ROOMY * count < _capacity(size):
            size //= 2
        return size

    def notify_of_truncation(self, memory: TermMemory) -> None:
        """Call `memory.forget` whenever `truncate` removes terms, for as long as `memory` exists."""
        self._told.add(memory)

    def save(self, folder: Path) -> None:
        """Write the dictionary as three .npy files with room into `folder`; each file is replaced as a whole.

        A kill can leave some files old and some new. If this matters, write into a new folder. Raises StoreError if a
        file cannot be written.
        """
        used = int(self._offsets[self._count + 1])
        arrays: tuple[npt.NDArray[Any], ...] = self._arena[:used], self._offsets[: self._count + 2], self._slots
        rooms = (
            used // 8 + _MORE_TEXT,
            min(self._count // 8 + 1024, max(0, _capacity(self._slots.size) - self._count)),
            0,
        )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, array, room in zip(_FILES, arrays, rooms, strict=True):
                with (folder / f"{name}.new.npy").open("w+b") as file:  # NumPy hides why a write to a "wb" file failed
                    np.save(file, array)
                    allocate(file, room * array.itemsize)
                (folder / f"{name}.new.npy").replace(folder / f"{name}.npy")
        except OSError as error:
            raise store_error(f"{folder}: the dictionary cannot be written", error) from error

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open the dictionary that `save` wrote. Its files are mapped into memory; changes never reach the files.

        Raises StoreError if the files cannot be read.
        """
        dictionary = cls.__new__(cls)
        try:
            arena, offsets, slots = [map_file(folder / f"{name}.npy") for name in _FILES]
        except (OSError, ValueError, EOFError) as error:
            raise StoreError(f"{folder}: the dictionary cannot be read: {error}") from error
        dictionary._arena, dictionary._offsets, dictionary._slots = arena[0], offsets[0], slots[0]
        dictionary._count = offsets[1] - 2
        dictionary._told = WeakSet()
        return dictionary

    def table(self) -> Table:
        """Return the arrays of the dictionary, for kernels. `make_room` makes new arrays: then call this again."""
        from kgreason.terms.interning import Table

        return Table(self._arena, self._offsets, self._slots)

    def hashes(self) -> npt.NDArray[np.uint32]:
        """Return half of the hash of each term, in the order of ids: uint32[n]. It depends on the text alone."""
        entries = self._slots[self._slots != 0]
        found = np.empty(self._count, np.uint32)
        found[(entries & np.uint64(MAX_ID)).astype(np.int64) - 1] = entries >> np.uint64(32)
        return found

    def table_of(self, ids: Ids) -> tuple[Table, Ids]:
        """Return the arrays that have the terms `ids`, int32[n], and the numbers of these terms there."""
        return self.table(), ids

    def make_room(self, length: int) -> None:
        """Grow so that one more term of `length` bytes fits. Raises LimitError if there is no id left."""
        if self._count >= MAX_ID:
            raise LimitError(f"the dictionary is full: it cannot hold more than {MAX_ID:,} terms")
        if self._count + 3 > self._offsets.size:
            self._add_slots()
        used = int(self._offsets[self._count + 1])
        if used + length > self._arena.size:
            self._arena = _resize(self._arena, used, used + max(length, used // 2))

    def set_count(self, count: int) -> None:
        """Set the number of terms to `count`, after a kernel has interned terms into `table()`."""
        self._count = count

    def _add_slots(self) -> None:
        if self._count >= _capacity(self._slots.size):
            self._rehash(self._count, 2 * self._slots.size)
        self._offsets = _resize(self._offsets, self._count + 2, _capacity(self._slots.size) + 2)

    def _rehash(self, count: int, size: int) -> None:
        from kgreason.terms.interning import rehash

        slots = np.zeros(size, np.uint64)
        rehash(self._slots, count, slots)
        self._slots = slots

    def _texts(self, ids: npt.NDArray[np.integer]) -> list[bytes]:
        text, ends = self._arena.data, self._offsets[ids + 1].tolist()
        return [text[start:end].tobytes() for start, end in zip(self._offsets[ids].tolist(), ends, strict=True)]

    def _lines_without_kernel(self, columns: Sequence[Ids]) -> bytes:
        """Return rows, at most `_FEW`, as lines.

        Unlike `_lines`, this method makes no tables: making them takes longer than a small commit.
        """
        arena, at = self._arena.data, self._offsets.item
        rows = zip(*[np.asarray(column).tolist() for column in columns], strict=True)
        words = ([arena[at(term) : at(term + 1)].tobytes() for term in row if term] for row in rows)
        return b"".join([b" ".join(line) + b" .\n" for line in words])

    def _lines_by_kernel(self, rows: Ids) -> bytes | None:
        """Return rows as lines, or None if a kernel would need an import of Numba, which takes 0.3 s."""
        from kgreason.compiled import are_kernels_ready

        if not are_kernels_ready():
            return None
        from kgreason.terms.lines import lines_of

        if rows.max(initial=0) > self._count or rows.min(initial=0) < 0:
            raise IndexError(f"an id is not among the {self._count:,} of the dictionary")
        parts = (rows[low : low + _PART] for low in range(0, len(rows), _PART))
        return b"".join(lines_of(self._arena, self._offsets, part) for part in parts)

    def _lines(self, rows: Ids, number: Ids) -> bytes:
        """Return rows, at most `_ROWS`, as lines. Each distinct term is read once.

        `number`: int32, a scratch array with an element for every id.
        """
        flat = rows.ravel()
        order = np.arange(flat.size, dtype=np.int32)
        number[flat] = order
        distinct = flat[number[flat] == order]
        number[distinct] = order[: distinct.size]
        texts = np.array([*self._texts(distinct), None], object)
        words = iter(texts[number[flat]].tolist())
        lines = b" .\n".join([*map(b" ".join, zip(*[words] * rows.shape[1], strict=True)), b""])
        # Line feeds in terms are escaped. So two spaces before a full stop at the end of a line show an omitted graph.
        return lines if flat.all() else lines.replace(b"  .\n", b" .\n")


def check_length(text: bytes | npt.NDArray[np.uint8]) -> None:
    """Raise LongTermError for a text of more than `LONGEST` bytes."""
    if len(text) > LONGEST:
        beginning = bytes(text[:60]).decode(errors="replace")
        raise LongTermError(f"{beginning}...: this term has {len(text):,} bytes in N-Quads; the limit is {LONGEST:,}")


def _capacity(slots: int) -> int:
    """Return how many terms a hash table of `slots` slots may hold. It must grow before it gets more terms."""
    return slots * 5 // 8


def _resize(array: npt.NDArray[Any], used: int, size: int) -> npt.NDArray[Any]:
    """Return a new array of `size` elements with the first `used` elements of `array`.

    The other elements take no memory until they are written.
    """
    fresh = np.empty(size, array.dtype)
    fresh[:used] = array[:used]
    return fresh


def _pack(texts: Iterable[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Pack n texts into one UTF-8 buffer. Returns the buffer, uint8[m], and the bounds of the texts, int64[n + 1]."""
    encoded = [text.encode() for text in texts]
    bounds = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=bounds[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), bounds
