"""`ShapesEditor`: edits of a shapes graph; `PendingShapes`: those in a transaction of this process, `tx.shapes`.

The triples are facts of the relation `shacl_shape`, so they are stored, taken back and told as such facts are, and are
no triples of the graph. Each edit reads the shapes graph anew (`shapes.program`), and the transaction replaces those
rules that differ.

Law: an edit that the shapes graph after it refuses changes nothing. Threads: only the thread of the transaction.
Cost: reading all shapes, for each edit: a tenth of a millisecond for a shape. Only rules that differ cost more.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Protocol, Self, TypeAlias

import numpy as np

from kgreason.errors import InputError, ShapesError
from kgreason.graph.input.quads import Item, Table, quads_of, quads_of_lines
from kgreason.graph.input.terms import checked_prefixes
from kgreason.graph.relation.relation import PendingRelation
from kgreason.interrupts import let_out
from kgreason.rdf.reader import read_files, read_stream
from kgreason.rules.model import Rule, Triple
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.inference.rules import ITERATED
from kgreason.shapes.program import rules_of
from kgreason.shapes.vocabulary import SOURCE, sh
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

Source: TypeAlias = "str | PathLike[str] | Item | Table | ShapesGraph"
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


class ShapesEditor(ABC):
    """Edits of a shapes graph. Each method for edits returns the object itself."""

    def load(self, *sources: Source, format: str | None = None) -> Self:  # noqa: A002
        """Add the triples of files, of Turtle text, of graphs of rdflib, or of the shapes graph of a report.

        `format` is the syntax of the files. Raises InputError, RdfSyntaxError, and ShapesError for a shapes graph that
        cannot be used.
        """
        return self.replace((), triples_of_sources(sources, format))

    def add(self, *items: Item | Table, prefixes: Mapping[str, str] | None = None) -> Self:
        """Add triples, given as `KnowledgeGraph.add` takes them. Errors as for `load`."""
        return self.replace((), _triples_of_items(items, prefixes, fresh=True))

    def add_triples(self, triples: Iterable[Triple]) -> Self:
        """Add triples, given as N-Triples texts; blank nodes keep their labels. Raises ShapesError."""
        return self.replace((), triples)

    def remove(self, *items: Item | Table, prefixes: Mapping[str, str] | None = None) -> Self:
        """Remove triples. Name a blank node by the label that `triples` shows. Errors as for `load`."""
        return self.replace(_triples_of_items(items, prefixes, fresh=False), ())

    def unload(self, *sources: Source, format: str | None = None) -> Self:  # noqa: A002
        """Remove the triples of files. A blank node of a file means the node that loading the same file made."""
        return self.replace(triples_of_sources(sources, format), ())

    @abstractmethod
    def clear(self) -> Self:
        """Remove the whole shapes graph."""

    @abstractmethod
    def replace(self, removed: Iterable[Triple], added: Iterable[Triple]) -> Self:
        """Remove triples and add others, both given as for `add_triples`. Raises ShapesError."""


class PendingShapes(ShapesEditor):
    """The shapes graph in a transaction of a graph of this process."""

    def __init__(self, transaction: RuleEdits, selected: Iterable[str]) -> None:
        """`selected` are the names of the rule sets of the graph."""
        self._transaction = transaction
        self._selected = [name.split("+")[0] for name in selected]

    def clear(self) -> Self:
        """Remove the whole shapes graph."""
        return self.replace(self.triples(), ())

    def triples(self) -> list[Triple]:
        """Return the triples of the shapes graph after the edits so far, as N-Triples texts."""
        return [(row[0], row[1], row[2]) for row in self._transaction.shape_triples().asserted()]

    def replace(self, removed: Iterable[Triple], added: Iterable[Triple]) -> Self:
        """Remove triples and add others, both given as for `add_triples`. Raises ShapesError."""
        transaction, before = self._transaction, set(self.triples())
        after = (before - set(removed)) | set(added)
        self._check_entailment(after)
        rules = rules_of(after)
        if after != before:
            relation = transaction.shape_triples()
            own, kept = {rule for rule in transaction.own_rules() if rule.file == SOURCE}, set(rules)
            transaction.replace_rules(own - kept, [rule for rule in rules if rule not in own])
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


def triples_of_sources(sources: Iterable[Source], syntax: str | None = None) -> set[Triple]:
    """Return the triples of sources as N-Triples texts; see `ShapesEditor.load`. Raises InputError, RdfSyntaxError."""
    return {triple for source in sources for triple in _triples(source, syntax)}


def triples_of_lines(lines: bytes) -> set[Triple]:
    """Return the triples in N-Triples lines, as N-Triples texts. Raises RdfSyntaxError."""
    dictionary = Dictionary()
    return _texts(quads_of_lines(lines, dictionary), dictionary)


def _triples(source: Source, syntax: str | None) -> set[Triple]:
    if isinstance(source, ShapesGraph):
        return set(source.triples)
    is_path = isinstance(source, PathLike) or (isinstance(source, str) and "\n" not in source and _is_file(source))
    if not is_path and isinstance(source, str) and _NAME.fullmatch(source):
        raise InputError(f"{source}: there is no such file")
    if not is_path:
        return _triples_of_items([source], None, fresh=True)
    dictionary = Dictionary()
    return _texts(read_files([source], dictionary, syntax=syntax), dictionary)  # type: ignore[list-item]


def triples_of_text(text: bytes, syntax: str, base: str | None, owner: str = "shapes") -> set[Triple]:
    """Return the triples of a document, as N-Triples texts. Blank nodes belong to `owner`. Raises RdfSyntaxError."""
    dictionary, found = Dictionary(), set[Triple]()
    for batch in read_stream(BytesIO(text), dictionary, syntax=syntax, source="the body", owner=owner, base=base):
        let_out()
        found |= _texts(np.stack(batch, axis=1), dictionary)
    return found


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _triples_of_items(items: Iterable[Item | Table], prefixes: Mapping[str, str] | None, *, fresh: bool) -> set[Triple]:
    dictionary = Dictionary()
    return _texts(quads_of(items, dictionary, fresh=fresh, prefixes=checked_prefixes(prefixes)), dictionary)


def _texts(rows: Int32, dictionary: Dictionary) -> set[Triple]:
    columns = [dictionary.decode(rows[:, place]) for place in range(3)]
    return set(zip(*columns, strict=True))
