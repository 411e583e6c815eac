"""`Asked`: the datatypes that rules ask for. Only for these datatypes the engine gets facts about their members.

A rule asks for a datatype if its body names it: `[?v, rdf:type, xsd:integer]`. If a rule reads any type (`[?x,
rdf:type, ?c]`: a generic rule, or a rule of the user), all datatypes that the closed schema mentions are asked for. The
members of other datatypes are not computed, because no rule could read them. Therefore such a datatype is not derived
as a type of an IRI that is owl:sameAs one of its literals.

Invariant: `datatypes` depends only on the rules in force and the closed schema. `rollback` undoes every `follow` since
the last `accept`. Cost: a look at each rule that is added or removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from kgreason.datatypes.datatype_map import DATATYPES
from kgreason.engine.memory.layout import Int32
from kgreason.materialize.program import ProgramChange
from kgreason.materialize.schema_closure import ClosureChange
from kgreason.rules.model import Rule, Variable
from kgreason.terms.vocabulary import RDF_TYPE, VOCABULARY

NAMES: dict[int, str] = {VOCABULARY.index(name) + 1: name for name in DATATYPES}
"""The supported datatypes: id -> text. The ids are those of the vocabulary, the same in every dictionary."""
_IDS = {name: number for number, name in NAMES.items()}
IDS = np.array(sorted(NAMES), dtype=np.int32)
GROUP = "datatypes"
"""The group of the rules of datatypes.dl. These rules read facts about literals, and ask for no datatype."""
_ANY = 0
"""Stands for a datatype in a rule that reads any type."""


_FLAGS = np.zeros(len(VOCABULARY) + 1, dtype=np.bool_)
_FLAGS[IDS] = True


def is_datatype(ids: Int32) -> NDArray[np.bool_]:
    """For each of the terms `ids` int32[n] whether it is a supported datatype: bool[n]."""
    found: NDArray[np.bool_] = _FLAGS[np.where(ids < len(_FLAGS), ids, 0)]
    return found


class Asked:
    """Counts how many rules ask for each datatype, and how often the closed schema mentions it."""

    def __init__(self) -> None:
        self._rules: Counter[int] = Counter()
        self._mentions: Counter[int] = Counter()
        self._before: tuple[Counter[int], Counter[int]] | None = None
        self.datatypes = frozenset[int]()
        """The ids of the datatypes that are asked for."""

    def _count(self) -> frozenset[int]:
        """The datatypes that rules name. If a rule reads any type, also the datatypes that the schema mentions."""
        named = {datatype for datatype, count in self._rules.items() if count and datatype != _ANY}
        mentioned = {datatype for datatype, count in self._mentions.items() if count} if self._rules[_ANY] else set()
        return frozenset(named | mentioned)

    def follow(self, program: ProgramChange, closure: ClosureChange) -> None:
        """Update the counts after a change of the rules and of the closed schema."""
        if self._before is None:
            self._before = self._rules.copy(), self._mentions.copy()
        self._rules.subtract(_asked(program.removed))
        self._rules.update(_asked(program.added))
        self._mentions.subtract(_mentioned(closure.removed))
        self._mentions.update(_mentioned(closure.added))
        self.datatypes = self._count()

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._before = None

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        if self._before is not None:
            self._rules, self._mentions = self._before
            self._before = None
            self.datatypes = self._count()


def _asked(rules: Iterable[Rule]) -> Iterator[int]:
    """The ids of the datatypes that rules ask for: one for each body atom that names a datatype.

    For a body atom that reads any type, the number is `_ANY`.
    """
    for rule in rules:
        for atom in rule.read() if rule.group != GROUP else ():
            if atom.relation is None and atom.terms[1] == RDF_TYPE:
                type_ = atom.terms[2]
                if isinstance(type_, Variable):
                    yield _ANY
                elif type_ in _IDS:
                    yield _IDS[type_]


def _mentioned(rows: Int32) -> list[int]:
    """The ids of the datatypes that schema triples int32[n, 3] have as subject or object, one for each occurrence."""
    ends = rows[:, [0, 2]]
    found: list[int] = ends[is_datatype(ends)].tolist()
    return found
