"""`RemoteRelation`: a relation of a graph that a server holds. Reads ask the server; edits are transactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kgreason.errors import InputError
from kgreason.graph.input.arguments import check_asserted
from kgreason.graph.input.terms import checked_prefixes, term_of, text_of
from kgreason.graph.relation.relation import Facts, GraphRelation, RelationHolder, column_declaration
from kgreason.graph.relation.row_input import terms_of
from kgreason.graph.results.cells import Cell

if TYPE_CHECKING:
    from kgreason.client.link import Link


class RemoteRelation(GraphRelation):
    """A relation of a server's graph; `RemoteGraph.relation` makes one. Each read sees the last commit."""

    def __init__(self, graph: RelationHolder, link: Link, name: str, arity: int | None) -> None:
        super().__init__(graph, lambda _: None, name, arity)
        self._link = link

    @property
    def arity(self) -> int | None:
        """The number of places; None if no fact, rule or declaration tells the number. Raises InputError."""
        found: int | None = self._reply((), None)["arity"]
        return found

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the places: `column1` and so on if they are not declared."""
        return tuple(self._reply((), None)["columns"])

    def _facts(self, terms: Sequence[Any], asserted: bool | None, prefixes: Mapping[str, str] | None) -> Facts:
        check_asserted(asserted)
        relation, texts = self.declaration if terms else None, []
        arity = self.arity if terms else None
        if arity is not None and terms and len(terms) != arity:
            raise InputError(f"{self.name} has {arity} places; got {len(terms)} terms")
        for place, term in enumerate(terms):
            ((text,),) = (
                [("",)]
                if term is None
                else terms_of([(term,)], column_declaration(relation, place), self.name, 1, checked_prefixes(prefixes))
            )
            texts.append(text)
        told = self._reply(texts, asserted)
        known: dict[str, Cell] = {}
        for text in (text for row in told["facts"] for text in row):
            if text not in known:
                known[text] = term_of(text)
        return Facts(told["columns"], [tuple([known[text] for text in row]) for row in told["facts"]])

    def counts(self, place: int) -> dict[str, int]:
        """Return how many facts have each term at a place; see `GraphRelation.counts`. The client reads all facts."""
        return dict(Counter(text_of(row[place]) for row in self.facts()))

    def _reply(self, terms: Sequence[str], asserted: bool | None) -> dict[str, Any]:
        given = [("term", term) for term in terms]
        given += [] if self._arity is None else [("arity", str(self._arity))]
        given += [] if asserted is None else [("asserted", str(asserted).lower())]
        found: dict[str, Any] = self._link.get(f"/relations/{self.name}", given).json()
        return found

    def _has_fact(self, texts: Sequence[str]) -> bool:
        return bool(self._reply(texts, None)["facts"])

    def __len__(self) -> int:
        """The number of facts."""
        return len(self.facts())
