"""`PendingShapes`: edits of the shapes graph in a transaction; `tx.shapes`.

The triples are facts of the relation `shacl_shape`, so they are stored, taken back and told as such facts are, and are
no triples of the graph. Each edit makes the rules of the shapes graph anew (`shapes.program`), and the transaction
replaces those that differ.

Law: an edit that the shapes graph after it refuses changes nothing. Threads: only the thread of the transaction.
Cost: reading all shapes, for each edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Protocol, Self, TypeAlias

from kgreason.errors import InputError, ShapesError
from kgreason.graph.input.quads import Item, Table, quads_of
from kgreason.graph.input.terms import checked
from kgreason.graph.relation.relation import PendingRelation
from kgreason.rdf.reader import read_files
from kgreason.rules.model import Rule, Triple
from kgreason.shapes.inference.rules import ITERATED
from kgreason.shapes.program import rules_of
from kgreason.shapes.vocabulary import SOURCE, sh
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

Source: TypeAlias = "str | PathLike[str] | Item | Table"
_ENTAILMENT = "<http://www.w3.org/ns/entailment/"
_REGIMES = {f"{_ENTAILMENT}RDFS>": ("rdfs", "owl2rl"), f"{_ENTAILMENT}OWL-RDF-Based>": ("owl2rl",)}
"""The entailment regimes that a shapes graph may ask for, and the rule sets that have them."""
_OWN = (sh("Rules"), ITERATED)
"""The regimes that the rules of the shapes graph are themselves."""


_NAME = re.compile(r"[^\s<>\"]+\.\w+")
"""A text that can only be meant as the name of a file."""


class RuleEdits(Protocol):
    """What the shapes graph needs of a transaction."""

    def shape_triples(self) -> PendingRelation:
        """The relation of the shapes graph in the transaction."""

    def own_rules(self) -> tuple[Rule, ...]:
        """The user's rules after the edits so far."""

    def replace_rules(self, removed: Iterable[Rule], added: Iterable[Rule]) -> object:
        """Remove rules, and add others."""


class PendingShapes:
    """The shapes graph in a transaction. Each method for edits returns the object itself."""

    def __init__(self, transaction: RuleEdits, selected: Iterable[str]) -> None:
        """`selected` are the names of the rule sets of the graph."""
        self._transaction = transaction
        self._selected = [name.split("+")[0] for name in selected]

    def load(self, *sources: Source, format: str | None = None) -> Self:  # noqa: A002
        """Add the triples of files, of Turtle text, or of graphs of rdflib. `format` is the syntax of the files.

        Raises InputError, RdfSyntaxError, and ShapesError for a shapes graph that cannot be used.
        """
        return self._edit(triples_of(sources, format), set())

    def add(self, *items: Item | Table, prefixes: Mapping[str, str] | None = None) -> Self:
        """Add triples, given as `KnowledgeGraph.add` takes them. Errors as for `load`."""
        return self._edit(_of_items(items, prefixes, fresh=True), set())

    def take(self, triples: Iterable[Triple]) -> Self:
        """Add triples, given as N-Triples texts; blank nodes keep their labels. Raises ShapesError."""
        return self.replace((), triples)

    def replace(self, removed: Iterable[Triple], added: Iterable[Triple]) -> Self:
        """Remove triples and add others, both given as for `take`. Raises ShapesError."""
        return self._edit(set(added), set(removed))

    def remove(self, *items: Item | Table, prefixes: Mapping[str, str] | None = None) -> Self:
        """Remove triples. Name a blank node by the label that `triples` shows. Errors as for `load`."""
        return self._edit(set(), _of_items(items, prefixes, fresh=False))

    def unload(self, *sources: Source, format: str | None = None) -> Self:  # noqa: A002
        """Remove the triples of files. A blank node of a file means the node that loading the same file made."""
        return self._edit(set(), triples_of(sources, format))

    def clear(self) -> Self:
        """Remove the whole shapes graph."""
        return self._edit(set(), set(self.triples()))

    def triples(self) -> list[Triple]:
        """Return the triples of the shapes graph after the edits so far, as N-Triples texts."""
        return [(row[0], row[1], row[2]) for row in self._transaction.shape_triples().asserted()]

    def _edit(self, added: set[Triple], removed: set[Triple]) -> Self:
        transaction, before = self._transaction, set(self.triples())
        after = (before - removed) | added
        self._check_entailment(after)
        rules = rules_of(after)
        if after != before:
            relation = transaction.shape_triples()
            transaction.replace_rules([rule for rule in transaction.own_rules() if rule.file == SOURCE], rules)
            if gone := sorted(before - after):
                relation.delete(gone)
            if come := sorted(after - before):
                relation.insert(come)
        return self

    def _check_entailment(self, triples: Iterable[Triple]) -> None:
        for subject, predicate, regime in triples:
            if (
                predicate == sh("entailment")
                and regime not in _OWN
                and not set(_REGIMES.get(regime, ())) & set(self._selected)
            ):
                raise ShapesError(
                    f"{subject}: sh:entailment {regime} is not what the rules of the graph give"
                    f" ({' '.join(self._selected) or 'none'})"
                )


def triples_of(sources: Iterable[Source], syntax: str | None = None) -> set[Triple]:
    """Return the triples of sources, which are given as `PendingShapes.load` takes them. Errors as there."""
    return {triple for source in sources for triple in _triples(source, syntax)}


def _triples(source: Source, syntax: str | None) -> set[Triple]:
    is_path = isinstance(source, PathLike) or (isinstance(source, str) and "\n" not in source and _is_file(source))
    if not is_path and isinstance(source, str) and _NAME.fullmatch(source):
        raise InputError(f"{source}: there is no such file")
    if not is_path:
        return _of_items([source], None, fresh=True)
    dictionary = Dictionary()
    return _texts(read_files([source], dictionary, syntax=syntax), dictionary)  # type: ignore[list-item]


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _of_items(items: Iterable[Item | Table], prefixes: Mapping[str, str] | None, *, fresh: bool) -> set[Triple]:
    dictionary = Dictionary()
    return _texts(quads_of(items, dictionary, fresh=fresh, prefixes=checked(prefixes)), dictionary)


def _texts(rows: Int32, dictionary: Dictionary) -> set[Triple]:
    columns = [dictionary.decode(rows[:, place]) for place in range(3)]
    return set(zip(*columns, strict=True))
