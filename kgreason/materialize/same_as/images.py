"""Computes the graph that users see from facts over representatives, and how a commit changes this graph.

    shown = images of plain rows  +  asserted rows  +  links between the members of each clique

`cliques` defines primaries, plain rows, images and folded cliques. A *link* is an owl:sameAs triple. For a folded
clique, only the links to and from its primary are shown. Law: without folded cliques, the shown triples are those that
eq-sym, eq-trans and eq-rep-* derive (OWL 2 Profiles, Table 4). A link `x owl:sameAs x` is not an image: it is shown
only if it is a fact (by eq-ref, or asserted).

Cost: nothing for a commit without cliques. Otherwise time in proportion to the images that change; a commit that
changes a clique also takes one pass over the facts, to find the rows that mention the clique.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.interrupts import let_out
from kgreason.materialize.edit import KindChanges
from kgreason.materialize.same_as.cliques import Cliques, Members, Replacements, expand_rows, sort_pairs
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED
from kgreason.zset.order import distinct, group_rows

Int32: TypeAlias = NDArray[np.int32]
Int8: TypeAlias = NDArray[np.int8]
Mask: TypeAlias = NDArray[np.bool_]
Is: TypeAlias = Callable[[Int32], Mask]
Slots: TypeAlias = Callable[[Int32], Int32]
Mentioning: TypeAlias = Callable[[Int32], Int32]


def are_shown(cliques: Cliques, rows: Int32, slots_of: Slots, is_fact: Is) -> Mask:
    """Return for each row of `rows`, int32[n, 3], whether it is an image of a fact, or a shown link: bool[n].

    `slots_of` returns for each term the number of its clique, or 0. `is_fact` returns for each row whether it is a
    fact.
    """
    slots = slots_of(rows)
    mapped, is_open = cliques.primaries(rows, slots), cliques.is_open(rows, slots)
    reflexive = _are_reflexive(rows)
    mapped[reflexive] = rows[reflexive]
    shown: Mask = is_open.all(axis=1) & is_fact(mapped)
    are_links = (mapped[:, 1] == same_as_id(cliques, slots_of)) & (slots[:, 0] > 0) & (slots[:, 0] == slots[:, 2])
    shown |= are_links & ~reflexive & is_open[:, 1] & (is_open[:, 0] | is_open[:, 2])
    return shown


def _are_reflexive(rows: Int32) -> Mask:
    found: Mask = (rows[:, 1] == SAME_AS) & (rows[:, 0] == rows[:, 2])
    return found


def same_as_id(cliques: Cliques, slots_of: Slots) -> int:
    """Return the id of owl:sameAs. If other terms are equal to owl:sameAs, return the id of their primary.

    `slots_of` returns for each term the number of its clique, or 0.
    """
    ids = np.array([SAME_AS], dtype=np.int32)
    return int(cliques.primaries(ids, slots_of(ids))[0])


def loops_of_primaries(cliques: Cliques, numbers: Int32, slots_of: Slots) -> Int32:
    """Return a row `p owl:sameAs p` for each clique of `numbers`, where p is the primary of the clique.

    The images of this row have any members in place of the two p: they are all owl:sameAs triples of the clique.
    `slots_of` returns for each term the number of its clique, or 0.
    """
    primaries = cliques.primary_of(numbers)
    return _links(cliques, np.column_stack([primaries, primaries]), slots_of)


def star_links(cliques: Cliques, numbers: Int32, slots_of: Slots) -> Int32:
    """Return the owl:sameAs triples that users see of the folded cliques among `numbers`: int32[m, 3].

    For a folded clique, only triples to and from its primary are shown. `slots_of` returns for each term the number of
    its clique, or 0.
    """
    pairs = cliques.members(numbers[cliques.are_folded(numbers)])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    rows = _links(cliques, np.concatenate([pairs, pairs[:, ::-1]]), slots_of)
    slots = slots_of(rows)
    slots[:, [0, 2]] = 0
    return expand_rows(rows, cliques.replacements(slots))


def _links(cliques: Cliques, pairs: Int32, slots_of: Slots) -> Int32:
    predicate = np.full(len(pairs), same_as_id(cliques, slots_of))
    return np.column_stack([pairs[:, 0], predicate, pairs[:, 1]]).astype(np.int32)


def images(cliques: Cliques, rows: Int32, slots: Int32) -> Int32:
    """Return the images of plain rows int32[n, 3], each once: int32[m, 3].

    `slots`, int32[n, 3]: for each cell the number of its term's clique, or 0.
    """
    single = (slots == 0).all(axis=1)
    others = rows[~single], slots[~single]
    return np.concatenate([rows[single], expand_rows(others[0], cliques.replacements(others[1]))])


def visible_triples(cliques: Cliques, facts: Int32, asserted: Int32) -> Int32:
    """Return all triples of the graph that users see, int32[m, 3], each once.

    `facts`: all facts that are triples. `asserted`: those among them that are asserted.
    """
    slots = cliques.slots(facts)
    plain = cliques.is_plain(facts, slots)
    own = loops_of_primaries(cliques, cliques.numbers(), cliques.slots)
    shown = np.concatenate([images(cliques, rows, cliques.slots(rows)) for rows in (facts[plain], own)])
    themselves = facts[_are_reflexive(facts) & cliques.is_open(facts, slots).all(axis=1)]
    parts = [shown[~_are_reflexive(shown)], themselves, star_links(cliques, cliques.numbers(), cliques.slots), asserted]
    found = np.concatenate(parts)
    return found[group_rows(found).firsts()]


def rows_without(rows: Int32, others: Int32) -> Int32:
    """Return the rows of `rows`, int32[n, w], that are not among the rows of `others`, int32[m, w]."""
    number = group_rows(np.concatenate([others, rows])).numbers()
    known = np.zeros(len(number), dtype=np.bool_)
    known[number[: len(others)]] = True
    return rows[~known[number[len(others) :]]]


class _Side(NamedTuple):
    """The graph before a commit, or the graph after it.

    `slots` returns for each term the number of its clique, or 0. `kinds` returns for each row the kind of the fact with
    this row: absent, inferred or asserted.
    """

    slots: Slots
    kinds: Callable[[Int32], Int8]


class VisibleChange:
    """Computes how a commit changes the graph that users see.

    - `changed`: the facts that are triples and whose kind the commit changed, each once.
    - `mentioning`: returns the present triples with at least one of the given terms, each once.
    - `kinds`: returns for each row the present kind of the fact with this row: absent, inferred or asserted.
    """

    def __init__(
        self, cliques: Cliques, changed: KindChanges, mentioning: Mentioning, kinds: Callable[[Int32], Int8]
    ) -> None:
        self._cliques, self._changed, self._mentioning = cliques, changed, mentioning
        self._before = _Side(cliques.slots_before, lambda rows: _kinds_before(changed, rows, kinds))
        self._after = _Side(cliques.slots, kinds)

    def kinds_before(self, rows: Int32) -> Int8:
        """Return the kinds that rows had before the commit in the graph that users see: int8[n]."""
        return self._kinds(self._before, rows)

    def kinds_after(self, rows: Int32) -> Int8:
        """Return the kinds that rows have after the commit in the graph that users see: int8[n]."""
        return self._kinds(self._after, rows)

    def regroup(self, gone: Int32, groups: Members) -> KindChanges:
        """Replace the cliques `gone` by new cliques: by those groups of terms in `groups` that have several members.

        Returns the triples that appear, disappear, or turn between asserted and inferred in the graph that users see.
        """
        cliques = self._cliques
        primaries, sizes = np.unique(groups.members[:, 0], return_counts=True)
        wanted = Members(*(pairs[np.isin(pairs[:, 0], primaries[sizes > 1])] for pairs in groups))
        while True:
            let_out()
            if (np.concatenate([cliques.members(gone), wanted.members])[:, 1] == SAME_AS).any():
                gone, wanted = self._with_other_cliques(
                    gone, wanted, np.setdiff1d(cliques.numbers(), gone)
                )  # every link gets new images
            new = cliques.replace(gone, wanted)
            kept = self._unchanged_facts(gone, new)
            touched = self._weigh(kept)
            cliques.fold(new)
            flipped = cliques.cliques_to_refold(touched[~np.isin(touched, np.concatenate([gone, new]))])
            if not len(flipped):
                return self._net_change(gone, new, kept)
            gone, wanted = self._with_other_cliques(gone, wanted, flipped)
            cliques.rollback()

    def _with_other_cliques(self, gone: Int32, wanted: Members, others: Int32) -> tuple[Int32, Members]:
        """Extend a change of cliques: each clique of `others` is replaced too, by a new clique with the same members.

        So `VisibleChange` computes the images of the cliques `others` anew. `gone`, `others`: numbers of cliques.
        `wanted`: the cliques that come. Returns `gone` and `wanted`, extended.
        """
        same = self._cliques.members(others), self._cliques.roots(others)
        both = Members(*(sort_pairs(np.concatenate(pairs)) for pairs in zip(wanted, same, strict=True)))
        return np.concatenate([gone, others]), both

    def _unchanged_facts(self, gone: Int32, new: Int32) -> Int32:
        """Return the unchanged facts, int32[n, 3], that may have other images now, because cliques changed.

        `gone`, `new`: the numbers of the cliques that go and of those that come. The returned facts mention the primary
        of such a clique, or a term that left or joined a clique. The other unchanged facts that mention a replaced
        clique are plain neither before nor after the commit.
        """
        if not len(gone) and not len(new):
            return np.empty((0, 3), dtype=np.int32)
        old, fresh = self._cliques.members(gone), self._cliques.members(new)
        pairs = np.concatenate([rows_without(old, fresh), rows_without(fresh, old)])
        terms = np.concatenate([old[:, 0], fresh[:, 0], pairs[:, 1]])
        return rows_without(self._mentioning(terms), self._changed.rows)

    def _rows_of_sides(self, kept: Int32) -> tuple[tuple[Int32, Int32], tuple[Int32, Int32]]:
        """Return two pairs, one for before the commit and one for after it: plain rows int32[n, 3], and their slots.

        The slots, int32[n, 3], have for each cell the number of its term's clique, or 0. The rows are taken from the
        facts `kept`, and from the changed facts that mention a clique.
        """
        sides = []
        for side, kinds in ((self._before, self._changed.before), (self._after, self._changed.after)):
            changed = self._changed.rows[kinds != ABSENT]
            rows = np.concatenate([changed[side.slots(changed).any(axis=1)], kept])
            slots = side.slots(rows)
            plain = self._cliques.is_plain(rows, slots)
            sides.append((rows[plain], slots[plain]))
        return sides[0], sides[1]

    def _weigh(self, kept: Int32) -> Int32:
        """Update the weights of cliques: subtract the images before the commit, and add the images after it.

        These are the images of the facts `kept` and of the changed facts. Returns the numbers of the cliques whose
        weight was updated.
        """
        (_, before), (_, after) = self._rows_of_sides(kept)
        self._cliques.weigh(before, -1)
        self._cliques.weigh(after, 1)
        return distinct(np.concatenate([before, after]))

    def _net_change(self, gone: Int32, new: Int32, kept: Int32) -> KindChanges:
        """Return the triples whose kind has changed in the graph that users see, with their kinds before and after.

        `gone`, `new`: the numbers of the cliques that go and of those that come. `kept`: from `_unchanged_facts`.
        """
        changed = self._changed
        is_single = ~(self._before.slots(changed.rows) | self._after.slots(changed.rows)).any(axis=1)
        rows = np.concatenate([changed.rows[~is_single], *self._candidates(gone, new, kept)])
        let_out()
        rows = rows[group_rows(rows).firsts()]
        before, after = self._kinds(self._before, rows), self._kinds(self._after, rows)
        differs = before != after
        return KindChanges(
            np.concatenate([changed.rows[is_single], rows[differs]]),
            np.concatenate([changed.before[is_single], before[differs]]),
            np.concatenate([changed.after[is_single], after[differs]]),
        )

    def _candidates(self, gone: Int32, new: Int32, kept: Int32) -> list[Int32]:
        """Return rows, other than the changed facts, whose kind in the graph that users see may have changed.

        `gone`, `new`: the numbers of the cliques that go and of those that come. `kept`: from `_unchanged_facts`.
        """
        cliques = self._cliques
        was, now = (
            loops_of_primaries(cliques, gone, self._before.slots),
            loops_of_primaries(cliques, new, self._after.slots),
        )
        (before, _), (after, _) = self._rows_of_sides(kept)
        before, after = np.concatenate([before, was]), np.concatenate([after, now])
        lost, won = rows_without(before, after), rows_without(after, before)
        both = rows_without(before, lost)
        found = [images(cliques, rows, side.slots(rows)) for rows, side in ((lost, self._before), (won, self._after))]
        old, fresh = self._shown_members(gone), self._shown_members(new)
        found += self._images_with_members(both, self._before.slots(both), rows_without(old, fresh))
        found += self._images_with_members(both, self._after.slots(both), rows_without(fresh, old))
        return [*found, star_links(cliques, gone, self._before.slots), star_links(cliques, new, self._after.slots)]

    def _shown_members(self, numbers: Int32) -> Int32:
        """Return pairs (primary, member), int32[m, 2], for the cliques of `numbers` that are not folded."""
        return self._cliques.members(numbers[~self._cliques.are_folded(numbers)])

    def _images_with_members(self, rows: Int32, slots: Int32, members: Int32) -> list[Int32]:
        """Return those images of the plain rows `rows` in which a member of `members` stands in place of its primary.

        `members`: pairs int32[m, 2] of primary and member. `slots`: for each cell the number of its term's clique, or
        0.
        """
        members = sort_pairs(members)
        low, high = (np.searchsorted(members[:, 0], rows, side=side) for side in ("left", "right"))
        whole = self._cliques.replacements(slots)
        pool = np.concatenate([whole.pool, members[:, 1]])
        found = []
        for column in range(3):
            start, length = whole.start.copy(), whole.length.copy()
            start[:, column], length[:, column] = len(whole.pool) + low[:, column], (high - low)[:, column]
            found.append(expand_rows(rows, Replacements(start, length, pool)))
        return found

    def _kinds(self, side: _Side, rows: Int32) -> Int8:
        """Return the kinds of rows in the graph that users see: int8[n]. `side`: before the commit, or after it."""
        let_out()
        kinds = side.kinds(rows)
        shown = are_shown(self._cliques, rows, side.slots, lambda mapped: side.kinds(mapped) != ABSENT)
        return np.where(kinds == IS_ASSERTED, IS_ASSERTED, np.where(shown, INFERRED, ABSENT)).astype(np.int8)


def kinds_before_and_after(
    changed: KindChanges, kinds: Callable[[Int32], Int8]
) -> tuple[Callable[[Int32], Int8], Callable[[Int32], Int8]]:
    """Return two functions that tell the kinds of rows before a commit and after it, in a graph without cliques.

    `changed`: the facts whose kind the commit changed. `kinds` tells the present kinds of facts.
    """
    return (lambda rows: _kinds_before(changed, rows, kinds)), kinds


def _kinds_before(changed: KindChanges, rows: Int32, kinds: Callable[[Int32], Int8]) -> Int8:
    """Return the kind that each row had before the commit: int8[n].

    For a row of `changed` it is the kind in `changed.before`. The kind of any other row has not changed: `kinds`
    returns it.
    """
    number = group_rows(np.concatenate([changed.rows, rows])).numbers()
    was = np.full(len(number), -1, dtype=np.int8)
    was[number[: len(changed.rows)]] = changed.before
    found = was[number[len(changed.rows) :]]
    unknown = found < 0
    found[unknown] = kinds(rows[unknown])
    return found
