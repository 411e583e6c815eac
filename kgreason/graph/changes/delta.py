"""`Delta`: what a commit changed, fact by fact.

The *kind* of a fact is absent, inferred or asserted. The delta holds each triple with a changed kind once. If a triple
is retracted and the rules still derive it, it turns from asserted to inferred; it neither appears nor disappears. The
delta also holds the asserted quads that were added and removed, including quads of named graphs, and the facts of the
user's relations whose kind changed (`relation`). It has no facts of kgreason's own relations, no contradictions
and no generalised triples.

    delta.relation("edge").appeared()
    delta.appeared()  delta.appeared(asserted=True)  delta.disappeared()  delta.turned(asserted=False)  delta.to_patch()
    delta.to_pandas()  delta.to_arrow()  delta.to_polars()

Cost: a delta is arrays of ids. A method that returns texts decodes them at each call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import InputError
from kgreason.graph.changes.relations import KINDS, RelationDelta, signed_facts
from kgreason.graph.input.arguments import check_asserted
from kgreason.graph.input.terms import terms_of_texts
from kgreason.graph.results.cells import Cell
from kgreason.graph.results.frames import Frames
from kgreason.graph.results.notebook import SHOWN, html_table
from kgreason.interrupts import let_out
from kgreason.materialize.edit import Change, KindChanges, Work
from kgreason.materialize.quads.documents import quads_of_graphs, quads_of_named
from kgreason.materialize.relations.facts import user_relations
from kgreason.proofs.contradiction import Contradiction
from kgreason.rules.model import Relation, Triple
from kgreason.rules.relations.declarations import columns_of
from kgreason.shapes.vocabulary import COLUMNS, RESULT
from kgreason.store.journal.record import Signed, patch_of_changes
from kgreason.store.oxigraph.update import parse_quads as quads_of
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.prefixes import USUAL
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32
from kgreason.zset.order import distinct

if TYPE_CHECKING:
    from kgreason.proofs.reasons import Reason
    from kgreason.shapes.graph import ShapesGraph
    from kgreason.shapes.result import Result

Int8: TypeAlias = NDArray[np.int8]
Quad: TypeAlias = tuple[str, str, str, str]
"""Subject, predicate, object and graph in N-Triples syntax; the default graph is the empty string."""


_COLUMNS = "subject", "predicate", "object", "graph", "before", "after"
_PRESENT = INFERRED, IS_ASSERTED
_MANY = 1 << 16
"""So many rows are decoded at once."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Delta(Frames):
    """What one commit changed: triples and facts with a changed kind, and asserted quads that were added or removed.

    - `commit`: the number of the commit; 0 for a what-if
    - `change`: all changes as arrays of ids
    - `dictionary`: the terms of these ids
    - `contradictions`, `ended`: for a what-if, the contradictions that it would raise and those that it would end. Both
      are empty after a commit: ask `KnowledgeGraph.contradictions`
    - `declared`: the declarations of relations, by name
    - `rules`: the user's rules that were removed (-1) and added (1), as rule text
    - `reasons`: the rules and axioms that derive inferred triples, if `what_if` was asked for reasons
    - `time`: when the commit was made, as text of xsd:dateTime in UTC; `author`: who made it. Both are empty if that is
      not known, and for a what-if
    - `prefixes`: those that the graph remembers; the table in notebooks is shortened by them

    As a table (`to_pandas`, `to_arrow`, `to_polars`) a delta has the columns subject, predicate, object, graph, before
    and after. The last two are "absent", "inferred" or "asserted". The rows are the triples of the default graph whose
    kind changed, with null as their graph, and the quads of named graphs that were added or removed.
    """

    commit: int
    change: Change
    dictionary: Dictionary
    contradictions: tuple[Contradiction, ...] = ()
    declared: Mapping[str, Relation] = field(default_factory=dict)
    rules: Signed = ()
    ended: tuple[Contradiction, ...] = ()
    reasons: Mapping[Triple, Reason] = field(default_factory=dict)
    time: str = ""
    author: str = ""
    prefixes: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> Int32:
        """The triples with a changed kind: int32[n, 3]."""
        return self.change.rows

    @property
    def before(self) -> Int8:
        """The kind of each triple before the commit: int8[n]."""
        return self.change.before

    @property
    def after(self) -> Int8:
        """The kind of each triple after the commit: int8[n]."""
        return self.change.after

    @property
    def removed_quads(self) -> Int32:
        """The quads that were asserted before the commit and are not asserted after it: int32[m, 4]."""
        return self.change.removed_quads

    @property
    def added_quads(self) -> Int32:
        """The quads that are asserted after the commit and were not asserted before it: int32[m, 4]."""
        return self.change.added_quads

    @property
    def missed(self) -> int:
        """The number of quads that the edit retracts although they were not asserted."""
        return self.change.missed

    @property
    def work(self) -> Work:
        """The strategy and the counts of the evaluation of this commit."""
        return self.change.work

    def __len__(self) -> int:
        """The number of triples with a changed kind."""
        return len(self.change.rows)

    def __bool__(self) -> bool:
        change = self.change
        return bool(sum(map(len, (change.rows, change.removed_quads, change.added_quads, change.facts.rows))))

    def __repr__(self) -> str:
        if not self:
            return f"<Delta of commit {self.commit}: no triple>" if self.commit else "<Delta: nothing has changed>"
        came, went = self.after[self.before == ABSENT], self.before[self.after == ABSENT]
        turned = len(self.rows) - len(came) - len(went)
        name = f"commit {self.commit}" if self.commit else "a what-if"
        named = len(self.quads(added=True)) + len(self.quads(added=False)) if not len(self.rows) else 0
        quads = f"; quads of named graphs that came or went: {named}" if named else ""
        facts = "".join(f"; {each!r}"[:-1].replace("<Delta of ", "") for each in map(self.relation, self.relations))
        triples = f"{_count_text(came)} appeared, {_count_text(went)} disappeared, {turned} turned"
        return f"<Delta of {name}: {triples}{quads}{facts}>"

    def _repr_html_(self) -> str:
        return html_table(f"{self!r}", _COLUMNS, self._table_rows(SHOWN), {**USUAL, **self.prefixes})

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[Cell]]]:
        return _COLUMNS, self._table_rows(None)

    def _table_rows(self, most: int | None) -> Iterator[Sequence[Cell]]:
        """Yield the changes as rows of a table: first the triples, then the removed quads, then the added quads.

        The quads are those of named graphs. At most `most` triples, `most` removed and `most` added quads are yielded;
        None sets no limit.
        """
        kinds = zip(self.before[:most].tolist(), self.after[:most].tolist(), strict=True)
        triples = quads_of(self.dictionary.lines(*self.rows[:most].T))
        for triple, (before, after) in zip(triples, kinds, strict=True):
            yield *triple.triple, None, KINDS[before], KINDS[after]
        for quads, before, after in (
            (self.removed_quads, IS_ASSERTED, ABSENT),
            (self.added_quads, ABSENT, IS_ASSERTED),
        ):
            for quad in quads_of(self.lines([self.quads_in_named_graphs(quads)[:most]])[0]):
                yield *quad.triple, cast(Cell, quad.graph_name), KINDS[before], KINDS[after]

    def with_own_dictionary(self) -> Delta:
        """Return a copy of the delta with a dictionary of its own. The copy stays valid when the graph drops terms."""
        change = self.change
        tables = (change.rows, change.removed_quads, change.added_quads, change.facts.rows)
        ids = distinct(np.concatenate([table.ravel() for table in tables]))
        ids = ids[ids > 0]
        own = Dictionary(self.dictionary.decode(ids))
        rows, removed, added, related = (
            np.where(table > 0, np.searchsorted(ids, table) + 1, 0).astype(np.int32) for table in tables
        )
        facts = change.facts._replace(rows=related)
        change = change._replace(rows=rows, removed_quads=removed, added_quads=added, facts=facts)
        return replace(self, change=change, dictionary=own)

    @property
    def relations(self) -> list[str]:
        """The sorted names of the user's relations with changed facts, without relations declared as `internal`.

        `relation(name)` gives the changed facts of a relation.
        """
        names = dict.fromkeys(each.name for each in user_relations(self.change.facts.rows[:, 0], self.dictionary))
        return [name for name in names if name not in self.declared or self.declared[name].kind != "internal"]

    def relation(self, name: str, arity: int | None = None) -> RelationDelta:
        """Return the changed facts of a relation. `arity` is needed if several relations have this name.

        Raises InputError if facts with different numbers of places changed, and `arity` is missing.
        """
        facts = self.change.facts
        found = [each for each in user_relations(facts.rows[:, 0], self.dictionary) if each.name == name]
        found = [each for each in found if arity in (None, each.arity)]
        if len(found) > 1:
            several = " and ".join(str(each.arity) for each in found)
            raise InputError(f"{name}: facts with {several} places have changed; say which with arity=")
        number, width = (found[0].number, found[0].arity) if found else (0, arity or 0)
        kept = facts.rows[:, 0] == number
        rows = np.ascontiguousarray(facts.rows[kept, 1 : 1 + width])
        columns = columns_of(self.declared.get(name), width)
        return RelationDelta(name, columns, KindChanges(rows, facts.before[kept], facts.after[kept]), self.dictionary)

    def results(self, *, appeared: bool = True, shapes: ShapesGraph | None = None) -> tuple[Result, ...]:
        """Return the validation results that appeared, or with `appeared=False` those that disappeared.

        Only with `shapes`, the shapes graph, the results have the messages of their shapes.
        """
        if not len(self.change.facts.rows):
            return ()
        from kgreason.shapes.result import results_of

        found = self.relation(RESULT, len(COLUMNS))
        facts = found.appeared() if appeared else found.disappeared()
        return results_of((terms_of_texts(fact) for fact in facts), shapes)

    def rows_of_kinds(self, *, before: tuple[int, ...], after: tuple[int, ...]) -> Int32:
        """Return the triples, int32[k, 3], whose kind was in `before` and is now in `after`."""
        return np.ascontiguousarray(self.rows[_are_one_of(self.before, before) & _are_one_of(self.after, after)])

    @property
    def disappeared_rows(self) -> Int32:
        """The triples int32[k, 3] that disappeared."""
        return self.rows_of_kinds(before=_PRESENT, after=(ABSENT,))

    @property
    def appeared_rows(self) -> Int32:
        """The triples int32[k, 3] that appeared."""
        return self.rows_of_kinds(before=(ABSENT,), after=_PRESENT)

    def appeared(self, *, asserted: bool | None = None) -> list[Triple]:
        """Return the triples that appeared: with `asserted=True` asserted ones, with False inferred ones, else all."""
        return self._decode(self.rows_of_kinds(before=(ABSENT,), after=_kinds(asserted)))

    def disappeared(self, *, asserted: bool | None = None) -> list[Triple]:
        """Return the triples that disappeared.

        With `asserted=True` only those that were asserted are returned, with False only those that were inferred.
        """
        return self._decode(self.rows_of_kinds(before=_kinds(asserted), after=(ABSENT,)))

    def turned(self, *, asserted: bool) -> list[Triple]:
        """Return the triples that turned asserted (`asserted=True`), or turned inferred (`asserted=False`).

        A triple turns asserted if it was inferred before, and turns inferred if it was asserted before.
        """
        check_asserted(asserted)
        return self._decode(self.rows_of_kinds(before=(_PRESENT[not asserted],), after=(_PRESENT[asserted],)))

    def quads(self, *, added: bool) -> list[Quad]:
        """Return the quads that became asserted (`added=True`), or ceased to be asserted (`added=False`).

        Quads of imported documents are left out.
        """
        quads = quads_of_graphs(self.dictionary, self.added_quads if added else self.removed_quads)
        return self._decode(quads)

    def _decode(self, rows: Int32) -> list[Any]:
        """Return rows int32[n, k] as tuples of k texts. They may be many, so this calls `let_out` now and then."""
        found: list[Any] = []
        for at in range(0, len(rows), _MANY):
            let_out()
            texts = iter(self.dictionary.decode(rows[at : at + _MANY].ravel()))
            found += zip(*[texts] * rows.shape[1], strict=True)
        return found

    @property
    def removed(self) -> bytes:
        """N-Quads lines of the triples that disappeared, and of the quads that were removed from named graphs."""
        return self.lines((self.disappeared_rows, self.quads_in_named_graphs(self.removed_quads)))[0]

    @property
    def added(self) -> bytes:
        """N-Quads lines of the triples that appeared, and of the quads that were added to named graphs."""
        return self.lines((self.appeared_rows, self.quads_in_named_graphs(self.added_quads)))[0]

    def lines_by_kind(self) -> Iterator[tuple[int, bool, bytes]]:
        """Yield lines with their sign and whether they are asserted: those that went (-1), then those that came (1).

        A triple that turned asserted went as an inferred one and came as an asserted one. Quads of named graphs are
        asserted.
        """
        for sign, quads in ((-1, self.removed_quads), (1, self.added_quads)):
            here, there = (self.before, self.after) if sign < 0 else (self.after, self.before)
            for kind in _PRESENT:
                rows = np.ascontiguousarray(self.rows[(here == kind) & (there != kind)])
                asserted = kind == IS_ASSERTED
                yield sign, asserted, self.lines([rows, self.quads_in_named_graphs(quads)] if asserted else [rows])[0]

    def quads_in_named_graphs(self, quads: Int32) -> Int32:
        """Return those of the quads, int32[n, 4], that are in a named graph."""
        return quads_of_named(self.dictionary, quads) if quads[:, 3].any() else quads[:0]

    def lines(self, *groups: Iterable[Int32]) -> list[bytes]:
        """Write arrays of ids as lines: int32[n, 3] as N-Triples, int32[n, 4] as N-Quads.

        A group is some of these arrays. Returns one text for each group, with the lines of all its arrays.
        """
        found = []
        for group in groups:
            parts = []
            for rows in group:
                if len(rows):
                    parts.append(self.dictionary.lines(*rows.T))
            found.append(b"".join(parts))
        return found

    def to_json(self, most: int | None = None, shapes: ShapesGraph | None = None) -> dict[str, Any]:
        """Return the delta as a dict for `json.dumps`. Terms are N-Triples text, and rules are rule text.

        `shapes` has the messages of validation results, as for `results`.
        Each list of triples, quads or validation results has at most `most` elements; None sets no limit.
        """
        signature = {"time": self.time, "author": self.author} if self.time else {}
        told: dict[str, Any] = {"commit": self.commit} | signature
        for name, rows in self._triples_by_kind().items():
            told[name] = {kind: self._decode(each[:most]) for kind, each in rows.items()}
        told["results"] = {
            name: [each.to_json() for each in self.results(appeared=name == "appeared", shapes=shapes)[:most]]
            for name in ("appeared", "disappeared")
        }
        told |= {"asserted": self.quads(added=True)[:most], "retracted": self.quads(added=False)[:most]}
        for name, wanted in (("rules_added", 1), ("rules_removed", -1)):
            told[name] = [text for sign, text in self.rules if sign == wanted]
        return told

    def _triples_by_kind(self) -> dict[str, dict[str, Int32]]:
        """Return the triples int32[n, 3] that appeared and those that disappeared: asserted ones and inferred ones."""
        kinds = {"asserted": (IS_ASSERTED,), "inferred": (INFERRED,)}
        return {
            "appeared": {name: self.rows_of_kinds(before=(ABSENT,), after=kind) for name, kind in kinds.items()},
            "disappeared": {name: self.rows_of_kinds(before=kind, after=(ABSENT,)) for name, kind in kinds.items()},
        }

    def counts(self) -> dict[str, Any]:
        """Return the lengths of the lists that `to_json` gives without a limit."""
        found: dict[str, Any] = {
            name: {kind: len(each) for kind, each in rows.items()} for name, rows in self._triples_by_kind().items()
        }
        quads = {"asserted": self.added_quads, "retracted": self.removed_quads}
        found |= {name: len(quads_of_graphs(self.dictionary, each)) for name, each in quads.items()}
        results = self.relation(RESULT, len(COLUMNS))
        return found | {"results": {"appeared": len(results.appeared()), "disappeared": len(results.disappeared())}}

    def inferred(self, *, appeared: bool, most: int) -> list[Triple]:
        """Return at most `most` of the inferred triples that appeared, or of those that disappeared."""
        return self._decode(self._triples_by_kind()["appeared" if appeared else "disappeared"]["inferred"][:most])

    def to_patch(self) -> str:
        """Return the delta as RDF Patch: triples of the default graph, and quads of named graphs.

        A fact of a relation that appeared is a header `H add-fact "edge(<http://e/a>, ...) ."`, and a fact that
        disappeared is a header `H delete-fact`, as in the journal. Facts of relations declared as `internal` are left
        out.
        """
        facts = signed_facts(self.change.facts, self.dictionary, self.declared)
        let_out()
        removed = self.removed
        let_out()
        return patch_of_changes(removed, self.added, facts).decode()


def _count_text(kinds: Int8) -> str:
    return f"{len(kinds)} ({int((kinds == IS_ASSERTED).sum())} asserted)" if len(kinds) else "0"


def _are_one_of(kinds: Int8, wanted: tuple[int, ...]) -> NDArray[np.bool_]:
    """For each kind, whether it is in `wanted`: bool[n]. Each commit calls this function four times."""
    found: NDArray[np.bool_] = kinds == wanted[0]
    for kind in wanted[1:]:
        found |= kinds == kind
    return found


def _kinds(asserted: bool | None) -> tuple[int, ...]:
    """Return the kinds that `asserted` stands for: True is asserted, False is inferred, None is both."""
    check_asserted(asserted)
    return _PRESENT if asserted is None else (IS_ASSERTED,) if asserted else (INFERRED,)
