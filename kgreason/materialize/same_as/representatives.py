"""`Equality` chooses representatives for the members of cliques; the rules of representatives.dl use them.

    eq_root(x)      x is a representative: asserted here, never shown to users
    eq_rep(y, x)    links (owl:sameAs) lead from the representative x to y; the rules copy the rows of y to x

So a representative has the rows of all members of its clique, and no link between two other members is ever derived.
The cost of a clique is that of its rows and links. A link is a fact with support like any other, and so are the facts
that follow from the link. When a link is removed, the engine removes the facts that depended on it. So no code here has
to take a clique apart.

Invariant after `due_facts` returns nothing: every clique has a representative that stands for all, its *primary*.
A clique may have further representatives. Each member that is a constant of a rule is one, because the rule must find
the rows of all members at this constant. A member is also a representative if a link of the clique is derived from rows
with this member; without them the clique would fall apart. Rules need no other rows than those of representatives. The
images of these rows (`images`) are the facts that eq-sym, eq-trans and eq-rep-* derive (OWL 2 Profiles, Table 4).

If several terms may be chosen, the term whose text comes first is chosen, IRIs before blank nodes and literals. So
representatives depend only on the commits, and a replay chooses the same representatives. They depend neither on ids
nor on the order in which terms were read.

Termination: within a commit, a term of a clique with several representatives loses this role at most once.

Cost: nothing while there is no link. Otherwise the time is in proportion to the change; but if a clique has lost
its representatives, all links are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, product
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import relation_text
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.records import fact_columns
from kgreason.materialize.edit import NO_FACTS, Facts, KindChanges
from kgreason.materialize.same_as.cliques import Cliques, Members, components, fill_cliques, sort_pairs
from kgreason.materialize.same_as.images import VisibleChange, are_shown
from kgreason.materialize.schema.rows import SAME_AS, make_rows, same_as_pairs
from kgreason.options import LETTER
from kgreason.rules.model import FALSE, Atom, Rule, Variable, contradiction
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.zset.columns import ABSENT, IS_ASSERTED, Int32
from kgreason.zset.order import distinct, group_rows

GROUP = "representatives"
ROOT, REP = relation_text("eq_root", 1), relation_text("eq_rep", 2)
LazyRules: TypeAlias = Callable[[], Iterable[EncodedRule]]
"""A function that returns encoded rules; the rules are encoded when it is called."""
Follows: TypeAlias = Callable[[Int32], Int32]
"""A function that takes links, pairs int32[n, 2] of terms, and returns the links that count as equality.

A link between two literals of different values does not count. Without such a function all links count.
"""

_NONE = np.empty(0, dtype=np.int32)
NO_PAIRS = np.empty((0, 2), dtype=np.int32)


class CliqueChange(NamedTuple):
    """The change of the cliques in a commit.

    - `gone`: the numbers of the removed cliques.
    - `groups`: the groups of terms that replace the removed cliques. A group with a single member is not a clique.
    - `orphans`: owl:sameAs links int32[m, 2] between terms that have no representative.
    - `widowed`: representatives that no link connects with another term any more.
    """

    gone: Int32
    groups: Members
    orphans: Int32
    widowed: Int32


class Equality:
    """Chooses the representatives of one graph, and keeps its cliques."""

    def __init__(self, engine: Engine, dictionary: Dictionary, budget: int, follows: Follows | None) -> None:
        self._engine, self._dictionary = engine, dictionary
        self._follows: Follows = follows or (lambda pairs: pairs)
        self.root, self.rep = dictionary.intern([ROOT, REP]).tolist()
        self.triples, self.root_table = engine.table(True, 3), engine.table(False, 2)
        self.rep_table = engine.table(False, 3)
        self.cliques = Cliques(budget)
        self._dropped = _NONE

    def accept(self) -> None:
        """Make the changes that the commit made to the cliques final."""
        self.cliques.accept()
        self._dropped = _NONE

    def rollback(self) -> None:
        """Undo the changes that the commit made to the cliques."""
        self.cliques.rollback()
        self._dropped = _NONE

    def undo_visible_changes(self) -> None:
        """Undo the changes that `visible_changes` made to the cliques.

        Call this if the commit changes more after a call of `visible_changes`. It must be called again at the end.
        """
        self.cliques.rollback()

    def facts_ahead(self, added: Int32) -> Facts:
        """Return the facts of `eq_root` that a commit has to assert before its rules run.

        They choose the representatives of new cliques. `added`: the triples int32[n, 3] that the commit asserts. The
        terms that the links among these triples connect form groups. One term of each group becomes a representative,
        unless a term of the group is already in a clique.
        """
        links = self._follows(same_as_pairs(added))
        if not len(links):
            return NO_FACTS
        self.cliques.reserve_slots(len(self._dictionary))
        terms, labels = components(links)
        fresh = ~np.isin(labels, labels[self.cliques.slots(terms) > 0])
        return self._root_facts(self._first_terms(terms[fresh], labels[fresh]))

    def due_facts(self, changes: Changes, fresh: LazyRules, left: LazyRules) -> Facts:
        """Return the facts of `eq_root` that the commit must assert and retract next.

        The result is empty if there is nothing left to change. `changes`: what the commit has changed so far. `fresh`
        returns the rules that the commit has added, and `left` returns the rules that it has removed.
        """
        found, named, unread = (
            self.change_of_cliques(changes),
            self._named_members(fresh),
            self._unneeded_representatives(left),
        )
        if found is None:
            self._dropped = np.union1d(self._dropped, unread)
            return self._root_facts(named, unread)
        constants = _constants(self._engine.rules)
        # members of cliques that changed are handled below
        named, unread = (part[~np.isin(self.cliques.slots(part), found.gone)] for part in (named, unread))
        members, roots = found.groups.members, found.groups.roots
        primaries, sizes = np.unique(members[:, 0], return_counts=True)
        lone = np.isin(roots[:, 0], primaries[sizes == 1])
        is_read = np.isin(roots[:, 1], constants)
        is_second = (roots[:, 0] != roots[:, 1]) & ~is_read & ~np.isin(roots[:, 1], self._dropped)
        needless = np.concatenate([roots[lone | is_second, 1], found.widowed, unread])
        self._dropped = np.union1d(self._dropped, np.concatenate([roots[~lone & is_second, 1], unread]))
        read = members[np.isin(members[:, 0], primaries[sizes > 1]) & np.isin(members[:, 1], constants), 1]
        lacking = np.setdiff1d(read, roots[:, 1])
        first, resources = (
            self._new_representatives(found.orphans),
            self._resource_primaries(members, primaries[sizes > 1]),
        )
        return self._root_facts(distinct(np.concatenate([first, lacking, named, resources])), distinct(needless))

    def _resource_primaries(self, members: Int32, primaries: Int32) -> Int32:
        """Return a new primary for each clique whose primary is a literal.

        The new primary is a resource (IRI or blank node) of the clique. A clique without resources keeps its primary.
        `primaries`: the primaries of the cliques to look at. `members`: pairs (primary, member), int32[n, 2].

        The reason: rules compare representatives. A resource may be linked to two literals of different values, which
        are not linked with each other. If one of the literals stood for the resource, rules would find the resource
        equal to this literal only.
        """
        primaries = primaries[self._dictionary.kinds(primaries) == Kind.LITERAL]
        if not len(primaries):
            return _NONE
        members = members[np.isin(members[:, 0], primaries)]
        members = members[self._dictionary.kinds(members[:, 1]) != Kind.LITERAL]
        return self._first_terms(members[:, 1], members[:, 0].astype(np.int64))

    def _new_representatives(self, orphans: Int32) -> Int32:
        """Return a new representative for each connected component of the links `orphans`.

        The candidates are the terms of the component that lost the role of representative in this commit. If there are
        none, the candidates are all terms of the component. The candidate whose text comes first is chosen, so a replay
        chooses the same term.
        """
        terms, labels = components(orphans)
        known = np.isin(terms, self._dropped)
        others = ~np.isin(labels, labels[known])
        return np.concatenate([self._first_terms(terms[kept], labels[kept]) for kept in (known, others)])

    def _first_terms(self, terms: Int32, labels: NDArray[np.int64]) -> Int32:
        """Return for each label, ascending, the term whose text comes first. `labels[i]` is the label of `terms[i]`."""
        return self._dictionary.first_terms(terms, np.unique(labels, return_inverse=True)[1])

    def _named_members(self, fresh: LazyRules) -> Int32:
        """Return the constants of the new rules that are members of cliques, but not representatives yet."""
        members = self._members_in_rules(fresh)
        lacking = members[~self._are_representatives(members)]
        return np.intersect1d(lacking, _constants(self._engine.rules)) if len(lacking) else lacking

    def _unneeded_representatives(self, left: LazyRules) -> Int32:
        """Return the representatives that are no longer needed: constants of the removed rules, but of no present rule.

        A primary is always needed.
        """
        members = self._members_in_rules(left)
        if not len(members):
            return _NONE
        members = members[self.cliques.primaries(members, self.cliques.slots(members)) != members]
        members = members[self._are_representatives(members) & ~np.isin(members, self._dropped)]
        return np.setdiff1d(members, _constants(self._engine.rules))

    def _are_representatives(self, members: Int32) -> NDArray[np.bool_]:
        """Return for each term of `members`, int32[n], whether it is a representative: bool[n].

        All these terms must be in cliques.
        """
        return self._is_present(np.column_stack([members, members]))

    def _members_in_rules(self, rules: LazyRules) -> Int32:
        """Return the constants of rules that are members of cliques."""
        if not self.cliques.live:
            return _NONE
        self.cliques.reserve_slots(len(self._dictionary))
        ids = _constants(rules())
        return ids[self.cliques.slots(ids) > 0]

    def _root_facts(self, added: Int32 = _NONE, removed: Int32 = _NONE) -> Facts:
        """Return `Facts` that assert `eq_root` of the terms `added`, and retract `eq_root` of the terms `removed`."""
        table = self.root_table
        return Facts.of({table: make_rows(self.root, added)}, {table: make_rows(self.root, removed)})

    def change_of_cliques(self, changes: Changes) -> CliqueChange | None:
        """Return how the commit has changed the cliques so far; None if it has changed none."""
        pairs = self._changed_pairs(changes)
        links = self._present_links(changes)
        if not len(pairs) and not len(links):
            return None
        self.cliques.reserve_slots(len(self._dictionary))
        moved = distinct(pairs[:, 0])
        reached = self._pairs_of_moved(moved, pairs)
        lost = np.setdiff1d(moved, reached[:, 0])
        widowed = lost[self._engine.facts.find(make_rows(self.root, lost)) >= 0]
        return CliqueChange(*self._groups(moved, reached), self._orphan_links(lost, reached, links), widowed)

    def _present_links(self, changes: Changes) -> Int32:
        """Return the owl:sameAs links that the commit changed and that are present now, as pairs int32[n, 2] of terms.

        Links between two literals of different values are left out, because they do not make terms equal.
        """
        found = np.flatnonzero(changes.rows[:, 1] == SAME_AS)  # usually empty, so look no further
        if not len(found):
            return NO_PAIRS
        found = found[(changes.tables[found] == self.triples) & (changes.after[found] != ABSENT)]
        return self._follows(same_as_pairs(changes.rows[found]))

    def moved_terms(self, changes: Changes) -> Int32:
        """Return the terms whose representatives the commit so far has changed, ascending: int32[n]."""
        moved: Int32 = distinct(self._changed_pairs(changes)[:, 0])
        return moved

    def regrouped_terms(self, changes: Changes) -> Int32:
        """Return the terms that were or are in a clique that the commit so far has changed: int32[n]."""
        found = self.change_of_cliques(changes)
        if found is None:
            return _NONE
        terms = np.concatenate([self.cliques.members(found.gone)[:, 1], found.groups.members[:, 1]])
        unique: Int32 = distinct(terms).astype(np.int32)
        return unique

    def groups_of(self, terms: Int32, changes: Changes) -> Int32:
        """Return all pairs (primary, member), int32[m, 2], of the cliques of `terms`.

        The cliques are those that exist after the changes that the commit has made so far.
        """
        found = self.change_of_cliques(changes)
        if found is None and not self.cliques.live:
            return NO_PAIRS
        self.cliques.reserve_slots(len(self._dictionary))
        numbers = distinct(self.cliques.slots(terms))
        numbers, pairs = numbers[numbers > 0], NO_PAIRS
        if found is not None:
            numbers, pairs = np.setdiff1d(numbers, found.gone), found.groups.members
            pairs = pairs[np.isin(pairs[:, 0], pairs[np.isin(pairs[:, 1], terms), 0])]
        return np.concatenate([pairs, self.cliques.members(numbers)])

    def replaced_terms(self, ids: Int32, changes: Changes) -> Int32:
        """Return those terms of `ids` that another term represents after the commit so far, ascending: int32[n]."""
        reached = self._representative_pairs(ids, changes)
        if not len(reached):
            return _NONE
        themselves = reached[reached[:, 0] == reached[:, 1], 0]
        found: Int32 = np.setdiff1d(reached[:, 0], themselves).astype(np.int32)
        return found

    def is_secondary(self, ids: Int32, changes: Changes) -> NDArray[np.bool_]:
        """Return for each id of `ids`, of any shape, whether its term is in a clique but is not the primary.

        The cliques are those after the commit so far. A representative that is not the primary gives True.
        """
        reached = self._representative_pairs(ids, changes)
        if not len(reached):
            return np.zeros(ids.shape, dtype=np.bool_)
        terms = distinct(reached[:, 0])
        return np.isin(ids, terms[self._primaries(reached) != terms])

    def _representative_pairs(self, ids: Int32, changes: Changes) -> Int32:
        """Return the pairs (term, representative) of the terms `ids` after the commit so far: int32[n, 2].

        A term that is in no clique has no pair.
        """
        pairs = self._changed_pairs(changes)
        if not self.cliques.live and not len(pairs):
            return NO_PAIRS
        self.cliques.reserve_slots(len(self._dictionary))
        terms = distinct(ids)
        terms = terms[(self.cliques.slots(terms) > 0) | np.isin(terms, pairs[:, 0])]
        return self._pairs_of_moved(terms, pairs[np.isin(pairs[:, 0], terms)])

    def has_pairs(self, rows: Int32, tables: Int32) -> bool:
        """Whether rows of eq_rep are among the facts `rows`, int32[n, w], of the tables `tables`, int32[n]."""
        return bool(((rows[:, 0] == self.rep) & (tables == self.rep_table)).any())

    def _changed_pairs(self, changes: Changes) -> Int32:
        """Return the rows of eq_rep that the commit added or removed: pairs int32[n, 2] of term and representative."""
        found = np.flatnonzero((changes.rows[:, 0] == self.rep) & (changes.tables == self.rep_table))
        return changes.rows[found, 1:3] if len(found) else NO_PAIRS

    def _is_present(self, pairs: Int32) -> NDArray[np.bool_]:
        """Return for each pair (term, representative) of `pairs`, int32[n, 2], whether eq_rep has the pair: bool[n]."""
        found: NDArray[np.bool_] = self._engine.facts.find(make_rows(self.rep, pairs)) >= 0
        return found

    def _pairs_of_moved(self, moved: Int32, pairs: Int32) -> Int32:
        """Return the present representatives of the terms `moved`: pairs (term, representative) int32[n, 2], ascending.

        `pairs`: the rows of eq_rep that the commit added or removed.
        """
        known = np.concatenate([pairs, self.cliques.roots_of(moved)])
        known = known[group_rows(known).firsts()]
        return known[self._is_present(known)]

    def _groups(self, moved: Int32, reached: Int32) -> tuple[Int32, Members]:
        """Return the numbers of the cliques that the terms `moved` leave or join, and the groups that replace them.

        `reached`: the present pairs (term, representative) of the terms `moved`, int32[n, 2].
        """
        terms, primaries = distinct(reached[:, 0]), self._primaries(reached)
        gone = distinct(self.cliques.slots(np.concatenate([moved, primaries])))
        gone = gone[gone > 0]
        members, roots = self.cliques.members(gone), self.cliques.roots(gone)
        members = members[~np.isin(members[:, 1], moved)]
        roots = roots[np.isin(roots[:, 0], members[:, 0])]
        joined = np.column_stack([primaries, terms])
        primary = primaries[np.searchsorted(terms, reached[:, 0])]
        found = np.concatenate([roots, np.column_stack([primary, reached[:, 1]])])
        return gone, Members(sort_pairs(np.concatenate([members, joined])), sort_pairs(found))

    def _orphan_links(self, lost: Int32, reached: Int32, links: Int32) -> Int32:
        """Return the present owl:sameAs links, int32[m, 2], whose terms have no representative now.

        `lost`: the terms that have lost all their representatives. `reached`: the present pairs (term, representative)
        of the terms whose pairs the commit changed. `links`: the present links that the commit changed.
        """
        alone = self.cliques.slots(links) == 0
        alone &= ~np.isin(links, reached[:, 0])
        return np.concatenate([links[alone.all(axis=1)], self._links_left(lost)])

    def _links_left(self, lost: Int32) -> Int32:
        """Return the present owl:sameAs links that have one of the terms `lost` as an end: int32[m, 2].

        `lost`: the terms that have lost all their representatives.
        """
        if not len(lost) or (rows := self._engine.rows_with(self.triples, {1: SAME_AS})) is None:
            return NO_PAIRS
        rows = np.ascontiguousarray(rows[np.isin(rows[:, [0, 2]], lost).any(axis=1), :3])
        return self._follows(
            same_as_pairs(rows[self._kinds(rows) != ABSENT])
        )  # facts that this commit removed are listed until it ends

    def visible_changes(self, changes: Changes, changed: KindChanges) -> KindChanges:
        """Return how a commit changes the triples that users see. Brings the cliques to the state after the commit.

        `changes`: all facts that the commit changed. `changed`: those of them that are triples, with their kinds.
        """
        found = self.change_of_cliques(changes)
        if found is None and not self.cliques.live:
            return changed
        self.cliques.reserve_slots(len(self._dictionary))
        gone, groups = (_NONE, Members(NO_PAIRS, NO_PAIRS)) if found is None else found[:2]
        return VisibleChange(self.cliques, changed, self._triples_with_terms, self._kinds).regroup(gone, groups)

    def kinds_before_and_after(
        self, changed: KindChanges
    ) -> tuple[Callable[[Int32], NDArray[np.int8]], Callable[[Int32], NDArray[np.int8]]]:
        """Return two functions: the kinds of rows in the graph that users see, before the commit and after it.

        Call `visible_changes` first. `changed`: the changed facts that are triples.
        """
        passage = VisibleChange(self.cliques, changed, self._triples_with_terms, self._kinds)
        self.cliques.reserve_slots(len(self._dictionary))
        return passage.kinds_before, passage.kinds_after

    def _kinds(self, rows: Int32) -> NDArray[np.int8]:
        facts = self._engine.facts
        return facts.kinds(facts.find(rows))

    def _triples_with_terms(self, ids: Int32) -> Int32:
        """Return the present triples, int32[n, 3], that mention one of the terms `ids`."""
        rows = self._facts_of_table(self.triples, 3)
        asked = np.zeros(len(self._dictionary) + 1, dtype=np.bool_)
        asked[ids] = True
        found: Int32 = rows[asked[rows].any(axis=1)]
        return found

    def _facts_of_table(self, table: int, width: int) -> Int32:
        """Return all facts of a table whose rows have `width` columns: int32[n, width]."""
        records = self._engine.facts.records_of_table(table)
        return np.ascontiguousarray(fact_columns(records)[:, :width])

    def are_shown(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows`, int32[n, 3], whether it is in the graph that users see: bool[n]."""
        kinds = self._kinds(rows)
        found: NDArray[np.bool_] = kinds == IS_ASSERTED if self.cliques.live else kinds != ABSENT
        if not self.cliques.live:
            return found
        self.cliques.reserve_slots(len(self._dictionary))
        shown = are_shown(self.cliques, rows, self.cliques.slots, lambda mapped: self._kinds(mapped) != ABSENT)
        return found | shown

    def primary(self, term: str) -> str:
        """Return the primary of the term's clique; the term itself if it is in no clique."""
        ids = self._dictionary.find([term]).astype(np.int32)
        self.cliques.reserve_slots(len(self._dictionary))
        slots = self.cliques.slots(ids)
        return self._dictionary.decode(self.cliques.primaries(ids, slots))[0] if slots[0] else term

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each folded clique, which is too large to be shown with all its members."""
        found = self.cliques.past_budget()
        names = self._dictionary.decode([primary for primary, _, _ in found])
        return tuple(
            f"owl:sameAs: {members:,} terms are equal to {name};"
            f" only this term is shown, because all would need {rows:,} triples"
            for name, (_, members, rows) in sorted(zip(names, found, strict=True))
        )

    def adopt(self, pairs: Int32) -> None:
        """Compute the cliques from the facts of `eq_rep`, int32[n, 2], and the triples that the engine has."""
        fill_cliques(self.cliques, pairs, self._primaries(pairs), lambda: self._facts_of_table(self.triples, 3))

    def _primaries(self, pairs: Int32) -> Int32:
        """Return for each term of pairs (term, representative), int32[n, 2], its representative whose text comes first.

        The result has an entry for each different term, in ascending order of the terms: int32[m].
        """
        _, groups, counts = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
        primaries = np.zeros(len(counts), dtype=np.int32)
        primaries[groups] = pairs[:, 1]
        if (counts > 1).any():
            primaries = self._dictionary.first_terms(np.ascontiguousarray(pairs[:, 1]), groups)
        return primaries


def _constants(rules: Iterable[EncodedRule]) -> Int32:
    """Return the ids of the constants of rules, ascending, each once."""
    return distinct(np.fromiter(chain.from_iterable(rule.constants for rule in rules), dtype=np.int32))


def rules_over_representatives(rule: Rule) -> Iterator[Rule]:
    """Yield the rules that replace `rule` in a graph where equal terms have representatives.

    Each atom `x owl:sameAs y` of the body is read in two ways: as a fact, or as "x and y have the same representative".
    Each combination of these ways gives a rule. Only a fact (asserted, or by eq-ref) says that a term is equal to
    itself.
    """
    if rule.group in (GROUP, LETTER) or not rule.reads_links:  # these rules are about links themselves
        yield rule
        return
    heads = tuple(contradiction(rule) if head == FALSE else head for head in rule.heads)
    readings = [
        ((atom,), _representative_atoms(rule, number)) if atom.is_link else ((atom,),)
        for number, atom in enumerate(rule.body)
    ]
    for reading in product(*readings):
        yield replace(rule, heads=heads, body=tuple(chain.from_iterable(reading)))


def _representative_atoms(rule: Rule, number: int) -> tuple[Atom, ...]:
    """Return the atoms eq_rep(x, ?rep) and eq_rep(y, ?rep), which replace the body atom `x owl:sameAs y`.

    `number`: the number of the body atom.
    """
    taken = {variable.name for atom in rule.body for variable in atom.variables()}
    name = f"rep{number}"
    while name in taken:
        name += "_"
    left, _, right = rule.body[number].terms
    return tuple(Atom("eq_rep", (end, Variable(name))) for end in (left, right))
