"""`Scopes`: which variables of a text are those of its outermost pattern, and which belong to a SELECT inside of it.

    SELECT ?o { ?x :p ?o { SELECT ?o { ?x :q ?o } } }        the second ?x is another variable: nobody selects it
    SELECT ?o { ?x :p ?o { SELECT ?x ?o { ?x :q ?o } } }     all are one variable
    SELECT ?o { ?x :p ?o { SELECT * { ?x :q ?o } } }         all are one variable

Law: a variable of a SELECT inside is seen outside only if it is selected (SPARQL 1.1, section 18.2.1). Oxigraph says
what `*` selects.

Cost: a pass over the pieces of the text, and a parse of each pattern with `SELECT *` or MINUS.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgreason.sparql.query.columns import columns_of_all
from kgreason.sparql.query.evaluation import Piece


class InnerSelect(NamedTuple):
    """A SELECT inside of a pattern: the places of its first piece and of the brace that ends it."""

    start: int
    end: int
    seen: frozenset[str]
    """Those of the `names` of `Scopes` that the SELECT selects."""
    is_cut: bool
    """Whether it has a LIMIT or an OFFSET."""


class Scopes:
    """The scopes of some variables, `names`, in the pieces of a text. `prefixes` and `base` are declared outside."""

    def __init__(
        self, pieces: Sequence[Piece], names: Collection[str], prefixes: Mapping[str, str], base: str | None
    ) -> None:
        self._pieces, self._names = pieces, frozenset(names)
        self._prefixes, self._base = prefixes, base
        self._ends = _closing_places(pieces)
        self.inner = [self._inner(place, end) for place, end in self._selects()]

    def scopes_around(self, place: int) -> list[InnerSelect]:
        """Return the SELECTs inside of which a place is, from outside in."""
        return [each for each in self.inner if each.start <= place < each.end]

    def is_seen(self, name: str, place: int) -> bool:
        """Whether a variable at a place is the one of the outermost pattern."""
        return all(name in each.seen for each in self.scopes_around(place))

    def minus(self) -> Iterator[tuple[int, int, int, list[str]]]:
        """Yield the place of each MINUS and of its two braces, and those of the names that its pattern has."""
        for place, piece in enumerate(self._pieces):
            if piece.word == "MINUS" and (brace := self._next(place + 1)) in self._ends:
                given = self._selected_by_all(brace, f"SELECT * {self._text(brace, self._ends[brace] + 1)}")
                if names := [name for name in sorted(given) if self.is_seen(name, place)]:
                    yield place, brace, self._ends[brace], names

    def _selects(self) -> Iterator[tuple[int, int]]:
        for brace, end in self._ends.items():
            if (first := self._next(brace + 1)) < end and self._pieces[first].word == "SELECT":
                yield first, end

    def _inner(self, start: int, end: int) -> InnerSelect:
        depth, names, is_all, is_alias = 0, set[str](), False, False
        place = start + 1
        while place < end and self._pieces[place].text != "{" and self._pieces[place].word not in ("WHERE", "FROM"):
            piece = self._pieces[place]
            depth += (piece.text == "(") - (piece.text == ")")
            is_all = is_all or (piece.text == "*" and not depth)
            if piece.is_variable and (not depth or is_alias):
                names.add(piece.text[1:])
            if not piece.is_space:
                is_alias = depth == 1 and piece.word == "AS"
            place += 1
        seen = self._selected_by_all(start, self._text(start, end)) if is_all else self._names & names
        return InnerSelect(start, end, frozenset(seen), self._is_cut(place, end))

    def _is_cut(self, place: int, end: int) -> bool:
        while place < end:
            if self._pieces[place].word in ("LIMIT", "OFFSET"):
                return True
            place = self._ends.get(place, place) + 1
        return False

    def _selected_by_all(self, place: int, query: str) -> frozenset[str]:
        """Return those of the names that a `SELECT *` selects, which stands at a place."""
        if not any(name in query for name in self._names):
            return frozenset()
        declared = self._declarations(place)
        found = columns_of_all(f"{declared}\n{query}", self._prefixes, self._base)
        return self._names if found is None else self._names.intersection(found)

    def _declarations(self, place: int) -> str:
        """Return the PREFIX and BASE clauses before a place."""
        shown = [piece for piece in self._pieces[:place] if not piece.is_space]
        spans = {"PREFIX": 3, "BASE": 2}
        clauses = [shown[at : at + spans[piece.word]] for at, piece in enumerate(shown) if piece.word in spans]
        return "\n".join(" ".join(piece.text for piece in clause) for clause in clauses)

    def _text(self, start: int, end: int) -> str:
        return "".join(piece.text for piece in self._pieces[start:end])

    def _next(self, place: int) -> int:
        while place < len(self._pieces) and self._pieces[place].is_space:
            place += 1
        return place


def _closing_places(pieces: Sequence[Piece]) -> dict[int, int]:
    """Return the place of the brace that closes each opening brace, by the place of the opening one, in text order."""
    found, opened = dict[int, int](), list[int]()
    for place, piece in enumerate(pieces):
        if piece.text == "{":
            opened.append(place)
        elif piece.text == "}" and opened:
            found[opened.pop()] = place
    return dict(sorted(found.items()))
