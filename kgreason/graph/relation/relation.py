"""`GraphRelation` and `PendingRelation`: a relation of a graph, for reading and for edits.

    edge = graph.relation("edge")
    edge.insert([("ex:a", "ex:b", 5)])       a commit; in a transaction: tx.relation("edge").insert(...)
    len(edge), ("ex:a", "ex:b", 5) in edge, list(edge), edge.match("ex:a", None, None), edge.to_pandas()

A fact is asserted by `insert` and `upsert`, or derived by rules, or both; reading shows all of them. A fact that rule
text asserts (a rule without a body) counts as derived. If owl:sameAs makes terms of a fact equal to others, reading
also shows the copy of the fact that has the representatives of its terms.

Cost: a read costs what the relation holds (`materialize.relations.keys`); `in` is a look-up. The first read of a
relation, and each read of a store whose engine does not run, looks at all facts of the graph. A read needs the engine
only if commits have come since the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np

from kgreason.errors import InputError
from kgreason.graph.input.arguments import check_asserted
from kgreason.graph.input.terms import NO_PREFIXES, Prefixes, checked_prefixes, terms_of_texts
from kgreason.graph.relation.row_input import Rows, Terms, terms_of
from kgreason.graph.results.cells import Cell
from kgreason.graph.results.frames import Frames
from kgreason.rules.model import Relation, Rule
from kgreason.rules.relations.declarations import MADE_BY_RULES, arities_of, columns_of, declaration_of
from kgreason.rules.relations.names import checked_arity, checked_name
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.order import distinct

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.materialize.relations.reading import RelationReader
    from kgreason.proofs.proof import Proof
    from kgreason.proofs.why_not.answer import WhyNot
    from kgreason.zset.columns import Int32


Result = TypeVar("Result")


class RelationEdits(Protocol):
    """What a relation needs of a transaction."""

    @property
    def delta(self) -> Delta:
        """The delta of the commit."""

    def relation(self, name: str, arity: int | None = None) -> PendingRelation:
        """A relation in the transaction."""


class PendingEdits(Protocol):
    """The facts that a transaction inserts, deletes and upserts (`PendingFacts`)."""

    def insert(self, name: str, terms: list[Terms], relation: Relation | None) -> None:
        """Assert facts."""

    def delete(self, name: str, terms: list[Terms]) -> None:
        """Retract facts."""

    def upsert(self, name: str, terms: list[Terms], relation: Relation) -> None:
        """Assert facts, and retract the facts with the same keys."""

    def asserted(self, name: str, arity: int, key: Sequence[int], values: Sequence[str]) -> list[Terms]:
        """Return the facts that are asserted after the edits so far and have these values at the places `key`."""


class RelationHolder(Protocol):
    """What a relation needs of a graph."""

    def own_rules(self) -> tuple[Rule, ...]:
        """The rules of the user."""

    def explain_fact(self, name: str, terms: Sequence[str]) -> Proof:
        """A proof of a fact."""

    def why_not_fact(self, name: str, terms: Sequence[str], limit: int) -> WhyNot:
        """Why a fact does not hold."""

    def transaction(self, *, timeout: float | None = None) -> AbstractContextManager[RelationEdits]:
        """Begin a transaction."""


class ReadRelations(Protocol):
    """Calls a function with the facts of relations, as of the last commit; see `KnowledgeGraph`."""

    def __call__(self, read: Callable[[RelationReader], Result], /) -> Result | None:
        """Call `read` with a reader of the facts. Returns the result of `read`; None before the first commit."""


class Facts(Frames):
    """Facts of a relation: tuples of terms of pyoxigraph, and tables (`to_pandas`, `to_polars`, `to_arrow`)."""

    def __init__(self, columns: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> None:
        self.columns = tuple(columns)
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        return iter(self._rows)

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[Cell]]]:
        return self.columns, self._rows


class GraphRelation(Frames):
    """A relation of a graph; `KnowledgeGraph.relation` makes one. Each read sees the last commit."""

    def __init__(self, graph: RelationHolder, read: ReadRelations, name: str, arity: int | None) -> None:
        self._graph, self._read, self.name, self._arity = graph, read, name, arity

    @property
    def declaration(self) -> Relation | None:
        """The declaration in rule text: columns, key, and `input`, `derived` or `internal`. None if there is none."""
        return declaration_of(self._graph.own_rules(), self.name)

    @property
    def arity(self) -> int | None:
        """The number of places; None if there is no fact, rule or declaration that tells the number.

        Raises InputError if relations of this name have different numbers of places.
        """
        if self._arity is not None:
            return self._arity
        if relation := self.declaration:
            return len(relation.columns)
        known = self._read(lambda facts: facts.arities(self.name)) or set()
        return _only_arity(known | arities_of(self._graph.own_rules(), self.name), self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the places: `column1` and so on if they are not declared."""
        relation = self.declaration
        return columns_of(relation, self.arity or 0)

    def insert(self, rows: Rows, *, prefixes: Mapping[str, str] | None = None, timeout: float | None = None) -> Delta:
        """Assert facts as one commit, and return its delta.

        `rows` are tuples or dicts of values, a frame of pandas, Polars, Arrow or Spark, or the path of a CSV file. A
        value may be whatever `KnowledgeGraph.match` takes as an object. Raises InputError for a value that does not fit
        its column; the message names row, column and value. Raises InputError for a fact with the same key as another
        fact. After an error nothing has changed.
        """
        return self._edit(lambda each: each.insert(rows, prefixes=prefixes), timeout)

    def delete(self, rows: Rows, *, prefixes: Mapping[str, str] | None = None, timeout: float | None = None) -> Delta:
        """Retract facts as one commit; a fact that rules still derive stays. Arguments as for `insert`."""
        return self._edit(lambda each: each.delete(rows, prefixes=prefixes), timeout)

    def upsert(self, rows: Rows, *, prefixes: Mapping[str, str] | None = None, timeout: float | None = None) -> Delta:
        """Assert facts, and retract the facts with the same keys, as one commit. Arguments as for `insert`.

        Raises InputError for a relation without a declared key.
        """
        return self._edit(lambda each: each.upsert(rows, prefixes=prefixes), timeout)

    def _edit(self, edit: Callable[[PendingRelation], object], timeout: float | None) -> Delta:
        with self._graph.transaction(timeout=timeout) as tx:
            edit(tx.relation(self.name, self._arity))
        return tx.delta

    def facts(self, *, asserted: bool | None = None) -> Facts:
        """Return the facts: all of them, or with `asserted=True` the asserted ones, with False the inferred ones."""
        return self._facts((), asserted, None)

    def match(self, *terms: object, asserted: bool | None = None, prefixes: Mapping[str, str] | None = None) -> Facts:
        """Return the facts that have these terms at these places; None matches any term.

        `asserted` has the same meaning as in `facts`.
        """
        return self._facts(terms, asserted, prefixes)

    def _facts(self, terms: Sequence[Any], asserted: bool | None, prefixes: Mapping[str, str] | None) -> Facts:
        check_asserted(asserted)
        arity, relation = self.arity, self.declaration
        if arity is not None and terms and len(terms) != arity:
            raise InputError(f"{self.name} has {arity} places; got {len(terms)} terms")
        columns = columns_of(relation, arity or 0)
        if arity is None:
            return Facts(columns, ())
        known = checked_prefixes(prefixes)
        wanted = [(place, self._term(place, term, known)) for place, term in enumerate(terms) if term is not None]

        def matching(facts: RelationReader) -> tuple[Int32, Dictionary]:
            rows = facts.rows(self.name, arity, asserted=asserted)
            for place, text in wanted:
                rows = rows[rows[:, place] == facts.dictionary.find([text])[0]]
            return rows, facts.dictionary

        found = self._read(matching)
        return Facts(columns, _cells(*found) if found else ())

    def _term(self, place: int, term: object, prefixes: Prefixes) -> str:
        ((text,),) = terms_of([(term,)], column_declaration(self.declaration, place), self.name, 1, prefixes)
        return text

    def counts(self, place: int) -> dict[str, int]:
        """Return how many facts have each term at a place, by the N-Triples text of the term. The first place is 0."""
        arity = self.arity

        def counting(facts: RelationReader) -> dict[str, int]:
            ids, counts = np.unique(facts.rows(self.name, arity or 0)[:, place], return_counts=True)
            return dict(zip(facts.dictionary.decode(ids), counts.tolist(), strict=True))

        return {} if arity is None else self._read(counting) or {}

    def explain(self, row: Sequence[object], *, prefixes: Mapping[str, str] | None = None) -> Proof:
        """Return a proof of a fact; the fact is a tuple of terms. Raises QueryError if the graph lacks the fact."""
        (terms,) = terms_of([row], self.declaration, self.name, self.arity, checked_prefixes(prefixes))
        return self._graph.explain_fact(self.name, terms)

    def why_not(self, row: Sequence[object], *, prefixes: Mapping[str, str] | None = None, limit: int = 10) -> WhyNot:
        """Say why a fact does not hold; the fact is a tuple of terms. See `KnowledgeGraph.why_not`.

        The answer has at most `limit` rules that could derive the fact, and for each rule the conditions that fail. If
        the fact holds, the answer says so. Raises InputError for a row that cannot be a fact.
        """
        (terms,) = terms_of([row], self.declaration, self.name, self.arity, checked_prefixes(prefixes))
        return self._graph.why_not_fact(self.name, terms, limit)

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        """The facts as tuples of terms of pyoxigraph, as of this call."""
        return iter(self.facts())

    def __len__(self) -> int:
        """The number of facts."""
        arity = self.arity
        return 0 if arity is None else self._read(lambda facts: len(facts.rows(self.name, arity))) or 0

    def __bool__(self) -> bool:
        """True, also for a relation without facts."""
        return True

    def __contains__(self, row: object) -> bool:
        """Whether the relation has this fact; the fact is a tuple of terms."""
        if not isinstance(row, (tuple, list)) or len(row) != self.arity or None in row:
            return False
        try:
            texts = [self._term(place, term, NO_PREFIXES) for place, term in enumerate(row)]
        except InputError:  # a value that does not fit its column
            return False
        return self._has_fact(texts)

    def _has_fact(self, texts: Sequence[str]) -> bool:
        return bool(self._read(lambda facts: facts.has(self.name, facts.dictionary.find(texts))))

    def __repr__(self) -> str:
        return f"<relation {self.name}({', '.join(self.columns)})>"

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[Cell]]]:
        return self.facts()._table()


class PendingRelation:
    """The edits of a relation in a transaction, made by `Transaction.relation`. A later edit of a fact wins."""

    def __init__(
        self,
        name: str,
        arity: int | None,
        declaration: Callable[[], Relation | None],
        note: Callable[[Callable[[], None]], object],
        pending: PendingEdits,
    ) -> None:
        self.name, self._arity, self._declaration = name, arity, declaration
        self._note, self._pending = note, pending

    @property
    def declaration(self) -> Relation | None:
        """The declaration of the relation. It changes if a later edit of the transaction declares the relation."""
        return self._declaration()

    def insert(self, rows: Rows, *, prefixes: Mapping[str, str] | None = None) -> Self:
        """Assert facts; see `GraphRelation.insert`."""
        return self._edit(lambda terms: self._pending.insert(self.name, terms, self.declaration), rows, prefixes)

    def delete(self, rows: Rows, *, prefixes: Mapping[str, str] | None = None) -> Self:
        """Retract facts; see `GraphRelation.delete`."""
        return self._edit(lambda terms: self._pending.delete(self.name, terms), rows, prefixes)

    def upsert(self, rows: Rows, *, prefixes: Mapping[str, str] | None = None) -> Self:
        """Assert facts, and retract the facts with the same keys; see `GraphRelation.upsert`."""
        relation = self.declaration
        if relation is None or not relation.key:
            raise InputError(
                f"{self.name} has no key, so upsert cannot know what to replace; declare one in rule text, as in"
                f" @relation {self.name}(name, value) key(name) ."
            )
        return self._edit(lambda terms: self._pending.upsert(self.name, terms, relation), rows, prefixes)

    def asserted(self, key: Sequence[str] | None = None) -> list[Terms]:
        """Return the facts that are asserted after the edits so far, as terms in N-Triples syntax.

        `key` has a term for each column of the declared key. With a `key` only the fact with this key is returned. The
        result is empty if the number of places is not known. Raises InputError in a transaction on a server, because
        only the server knows the facts.
        """
        relation = self.declaration
        arity = len(relation.columns) if relation else self._arity
        places = relation.key if relation and key is not None else ()
        return [] if arity is None else self._pending.asserted(self.name, arity, places, key or ())

    def _edit(self, edit: Callable[[list[Terms]], None], rows: Rows, prefixes: Mapping[str, str] | None) -> Self:
        relation, known = self.declaration, checked_prefixes(prefixes)
        if relation is not None and relation.kind in MADE_BY_RULES:
            raise InputError(f"{self.name} is declared as {relation.kind}, so only rules make its facts")

        def read() -> None:
            if terms := self._terms(rows, known):
                edit(terms)

        self._note(read)
        return self

    def _terms(self, rows: Rows, prefixes: Prefixes) -> list[Terms]:
        relation = self.declaration
        arity = len(relation.columns) if relation else self._arity
        return terms_of(rows, relation, self.name, arity, prefixes)


def pending_relation(
    name: str,
    arity: int | None,
    rules: Callable[[], Iterable[Rule]],
    note: Callable[[Callable[[], None]], object],
    facts: Callable[[int | None], PendingEdits],
) -> PendingRelation:
    """Make the relation `name` of a transaction, for edits.

    `arity` is the number of places. It may be None if the rules tell the number.

    - `rules` returns the user's rules after the edits so far.
    - `note` takes a function that turns the user's rows into an edit, and calls it. If this function fails, `note`
      drops the terms that it interned.
    - `facts` takes the number of places, and returns the object that collects the edits.

    Raises InputError.
    """
    if declaration_of(rules(), checked_name(name)) is None and checked_arity(arity) is None:
        known = arities_of(rules(), name)
        arity = next(iter(known)) if len(known) == 1 else None
    return PendingRelation(name, arity, lambda: declaration_of(rules(), name), note, facts(arity))


def column_declaration(relation: Relation | None, place: int) -> Relation | None:
    """Reduce a declaration to its column at `place`. None stays None."""
    return relation and relation._replace(columns=(relation.columns[place],), key=())


def _only_arity(known: set[int], name: str) -> int | None:
    if len(known) > 1:
        several = " and ".join(map(str, sorted(known)))
        raise InputError(f"{name}: there are relations of this name with {several} places; say which with arity=")
    return next(iter(known), None)


def _cells(rows: Any, dictionary: Dictionary) -> list[tuple[Cell, ...]]:
    """Return rows of ids, int32[n, w], as tuples of terms. Equal ids share one term object."""
    if not rows.shape[1]:
        return [()] * len(rows)
    ids = distinct(rows)
    terms: dict[int, Cell] = dict(zip(ids.tolist(), terms_of_texts(dictionary.decode(ids)), strict=True))
    return [tuple([terms[number] for number in row]) for row in rows.tolist()]
