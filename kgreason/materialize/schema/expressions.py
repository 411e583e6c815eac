"""`Expressions`: finds class expressions that are written the same, and chooses one node of them for all.

    some r C, written as the blank nodes a, b and c   ->   a stands for a, b and c

The rules of owl2el.dl reason about the node that stands for an expression (`el_is`), so they derive everything once and
not for each copy. Restrictions by owl:someValuesFrom, owl:hasValue and owl:hasSelf are compared, and intersections,
whatever the order of their members; expressions inside may be other copies. The first node by its id stands for all.

A node stands for itself if it is an IRI, if its triples describe no such expression or more than one, or if an
expression inside does so. So nodes in a circle stand for themselves.

Law: which node stands for which depends only on the asserted triples. Equal nodes get equal expressions: to take one
for another is sound whatever the rules do. Cost of an edit: a look at each node whose description changes, and at
each node around such a node. If another copy comes to stand for a group of copies, a look at this group. The first
change is a load: it is done in columns (`copies`), and takes 12 bytes for a triple. The next change makes dicts of
them, about a kilobyte for an expression. The lock of the graph must be held.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from kgreason.interrupts import undivided
from kgreason.materialize.schema.copies import AND, FIRST, NIL, ON, REST, SELF, SOME, VALUE, copies_and_firsts
from kgreason.materialize.schema.rows import flags_of, have_flag
from kgreason.ontology.undo import Index, UndoLog
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32

_OTHERS = (v.OWL_UNION_OF, v.OWL_ONE_OF, v.OWL_COMPLEMENT_OF, v.OWL_DISJOINT_UNION_OF)
"""Predicates of other expressions that the rules read."""
_READ = flags_of(
    frozenset(VOCABULARY[each - 1] for each in (ON, SOME, VALUE, SELF, AND, FIRST, REST)) | frozenset(_OTHERS)
)
_INTO = frozenset((SOME, AND, FIRST, REST))
"""The predicates that lead from a node to one inside."""
_NO_ROWS = np.empty((0, 3), dtype=np.int32)
_Pair: TypeAlias = tuple[int, int]
_Key: TypeAlias = tuple[int, object, object]
"""What copies have in common. An inner expression stands in it as the number of its copies, which is below 0."""


class _FirstTriples(NamedTuple):
    """The triples of the first change, in place of dicts: nodes with copies, ascending, and what stands for them.

    `rows` are sorted by subject and predicate.
    """

    rows: Int32
    nodes: Int32
    firsts: Int32

    def stand_ins(self, nodes: Int32) -> Int32:
        """Return for each term of `nodes`, int32[n], the node that stands for it."""
        if not len(self.nodes):
            return nodes
        places = np.minimum(np.searchsorted(self.nodes, nodes), len(self.nodes) - 1)
        found: Int32 = np.where(self.nodes[places] == nodes, self.firsts[places], nodes)
        return found

    def description(self, node: int) -> tuple[_Pair, ...]:
        """Return the description of a node: sorted pairs (predicate, object)."""
        start, end = np.searchsorted(self.rows[:, 0], np.array([node, node + 1], dtype=np.int32)).tolist()
        return tuple(sorted((predicate, term) for _, predicate, term in self.rows[start:end].tolist()))


class Expressions:
    """Finds copies of class expressions in a graph that is edited. Empty at first."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._log = UndoLog()
        self._said: dict[int, tuple[_Pair, ...]] = {}
        """The description of each blank node that has one: sorted pairs (predicate, object)."""
        self._users = Index[int, int](self._log)
        """The nodes that each node or term is directly inside of; a list is around its members."""
        self._numbers: dict[_Key, int] = {}
        self._keys: dict[int, _Key] = {}
        self._of: dict[int, int] = {}
        self._copies = Index[int, int](self._log)
        """The nodes with each number; `_of` has the number of each node."""
        self._firsts: dict[int, int] = {}
        """The first node with each number."""
        self._last = 0
        self._asleep: _FirstTriples | None = None
        self._is_final = False
        """Whether the change that `_asleep` holds has been accepted."""

    def change(self, removed: Int32, added: Int32) -> Int32:
        """Take the triples that an edit retracts and asserts, int32[n, 3] each.

        Returns rows of a node, the node that stood for it, and the node that stands for it now, where these differ:
        int32[n, 3].
        """
        gone, come = self._rows(removed), self._rows(added)
        if not len(gone) and not len(come):
            return _NO_ROWS
        if self._asleep is None and not self._said:
            come = come[np.lexsort((come[:, 1], come[:, 0]))]
            if (found := copies_and_firsts(come)) is not None:
                self._asleep, self._is_final = _FirstTriples(come, *found), False
                return np.stack([found[0], found[0], found[1]], axis=1)
        self._make_dicts()
        moved = self._move_nodes(gone, come)
        return np.array(moved, dtype=np.int32).reshape(-1, 3)

    def stand_ins(self, nodes: Int32) -> Int32:
        """Return for each term of `nodes`, int32[n], the node that stands for it."""
        if self._asleep is not None:
            return self._asleep.stand_ins(nodes)
        of, firsts = self._of, self._firsts
        found = [firsts[of[node]] if node in of else node for node in nodes.tolist()]
        return np.array(found, dtype=np.int32)

    def _make_dicts(self) -> None:
        """Make the dicts, if they have not been made since the graph was loaded."""
        if self._asleep is not None:
            come = self._asleep.rows
            self._move_nodes(come[:0], come)
            with undivided():
                self._asleep = None
                if self._is_final:
                    self._log.commit()

    def _move_nodes(self, removed: Int32, added: Int32) -> list[tuple[int, int, int]]:
        return self._assign_numbers(self._numbers_of_moved(self._with_outer_nodes(self._describe(removed, added))))

    def triples(self, node: int) -> Iterator[tuple[int, int, int]]:
        """Yield the triples that describe a node and the nodes inside, as ids. Makes no dicts."""
        asleep = self._asleep
        waiting, seen = [node], {node}
        for each in waiting:
            for predicate, term in self._said.get(each, ()) if asleep is None else asleep.description(each):
                yield each, predicate, term
                if predicate in _INTO and term not in seen:
                    seen.add(term)
                    waiting.append(term)

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._log.commit()
        self._is_final = True

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        self._log.rollback()
        if not self._is_final:
            self._asleep = None

    # Descriptions

    def _describe(self, removed: Int32, added: Int32) -> set[int]:
        """Change the descriptions. Returns the nodes whose description has changed."""
        after: dict[int, set[_Pair]] = {}
        for rows, is_added in ((removed, False), (added, True)):
            for node, predicate, term in rows.tolist():
                pairs = after.get(node)
                if pairs is None:
                    pairs = after[node] = set(self._said.get(node, ()))
                (pairs.add if is_added else pairs.discard)((predicate, term))
        for node, pairs in after.items():
            before = self._said.get(node, ())
            if pairs:
                self._log.put(self._said, node, tuple(sorted(pairs)))
            elif before:
                self._log.drop(self._said, node)
            used, uses = _inner_terms(before), _inner_terms(pairs)
            for part in used - uses:
                self._users.discard(part, node)
            for part in uses - used:
                self._users.add(part, node)
        return set(after)

    def _rows(self, rows: Int32) -> Int32:
        """Return the triples that describe blank nodes."""
        found = rows[have_flag(rows[:, 1], _READ)]
        described: Int32 = found[self._dictionary.kinds(found[:, 0]) == Kind.BLANK]
        return described

    def _with_outer_nodes(self, nodes: set[int]) -> set[int]:
        """Return the nodes, and all nodes around one of them."""
        waiting = list(nodes)
        for node in waiting:
            fresh = [user for user in self._users.at(node) if user not in nodes]
            nodes.update(fresh)
            waiting += fresh
        return nodes

    # Copies

    def _numbers_of_moved(self, nodes: Collection[int]) -> dict[int, int | None]:
        """Read nodes again, inner ones first. Returns the number of each; None if it has no copies."""
        numbers: dict[int, int | None] = {}
        opened = set[int]()
        for root in nodes:
            waiting = [root]
            while waiting:
                node = waiting[-1]
                if node in numbers:
                    waiting.pop()
                    continue
                inside = self._inner_nodes(node)
                closed = [part for part in inside or () if part in nodes and part not in numbers]
                if closed and node not in opened:
                    opened.add(node)
                    waiting += closed
                else:  # what is still closed is in a circle
                    key = None if closed or inside is None else self._key(node, inside, numbers)
                    numbers[node] = key and self._number(key)
        return numbers

    def _inner_nodes(self, node: int) -> list[int] | None:
        """Return what is directly inside of an expression; None if the description of a node is no expression."""
        said = self._said.get(node, ())
        if len(said) == 2 and said[0][0] != said[1][0] and ON in (said[0][0], said[1][0]):
            predicate, term = next(pair for pair in said if pair[0] != ON)
            return [term] if predicate == SOME else [] if predicate in (VALUE, SELF) else None
        return self._members(said[0][1]) if len(said) == 1 and said[0][0] == AND else None

    def _members(self, cell: int) -> list[int] | None:
        """Return the members of a list; None if it is empty, or if it is not a list."""
        found: list[int] = []
        cells = set[int]()
        while cell != NIL:
            said = self._said.get(cell, ())
            if len(said) != 2 or cell in cells:
                return None
            cells.add(cell)
            pairs = dict(said)
            if pairs.keys() != {FIRST, REST}:
                return None
            found.append(pairs[FIRST])
            cell = pairs[REST]
        return found or None

    def _key(self, node: int, inside: list[int], numbers: dict[int, int | None]) -> _Key | None:
        """Return what the copies of a node have in common; None if something inside is described, but has no number."""
        parts: list[int] = []
        for part in inside:
            number = (numbers[part] if part in numbers else self._of.get(part)) if part in self._said else part
            if number is None:
                return None
            parts.append(number)
        said = self._said[node]
        if len(said) == 1:
            return (AND, frozenset(parts), None)
        pairs = dict(said)
        role = pairs.pop(ON)
        ((predicate, term),) = pairs.items()
        return (predicate, role, parts[0] if parts else term)

    def _number(self, key: _Key) -> int:
        number = self._numbers.get(key)
        if number is None:
            self._last -= 1
            number = self._last
            self._log.put(self._numbers, key, number)
            self._log.put(self._keys, number, key)
        return number

    def _assign_numbers(self, numbers: dict[int, int | None]) -> list[tuple[int, int, int]]:
        """Give nodes their numbers. Returns rows as `change` does."""
        moved: dict[int, tuple[list[int], list[int]]] = {}
        for node, number in numbers.items():
            before = self._of.get(node)
            if before == number:
                continue
            if before is not None:
                moved.setdefault(before, ([], []))[1].append(node)
            if number is None:
                self._log.drop(self._of, node)
            else:
                moved.setdefault(number, ([], []))[0].append(node)
                self._log.put(self._of, node, number)
        olds, news = dict[int, int](), dict[int, int]()
        for number, (joined, left) in moved.items():
            were, now = self._regroup(number, joined, left)
            olds |= were
            news |= now
        rows = ((node, olds.get(node, node), news.get(node, node)) for node in olds | news)
        return [row for row in rows if row[1] != row[2]]

    def _regroup(self, number: int, joined: list[int], left: list[int]) -> tuple[dict[int, int], dict[int, int]]:
        """Change the nodes with a number. Returns what stood and what stands for nodes for which this may differ."""
        was = self._firsts.get(number)
        were = {} if was is None else dict.fromkeys(left, was)
        for node in left:
            self._copies.discard(number, node)
        stayed = self._copies.at(number)
        first = min((*joined, was)) if was is not None and was in stayed else min((*joined, *stayed), default=None)
        is_same = first == was
        if was is not None and not is_same:
            were |= dict.fromkeys(stayed, was)
        for node in joined:
            self._copies.add(number, node)
        if first is None:
            self._log.drop(self._firsts, number)
            self._log.drop(self._numbers, self._log.drop(self._keys, number))
            return were, {}
        if not is_same:
            self._log.put(self._firsts, number, first)
        return were, dict.fromkeys(joined if is_same else self._copies.at(number), first)


def _inner_terms(said: Iterable[_Pair]) -> set[int]:
    return {term for predicate, term in said if predicate in _INTO and term != NIL}
