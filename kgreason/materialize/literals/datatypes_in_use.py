"""`DatatypesInUse`: the datatypes that rules ask for. The engine gets the members of these datatypes only, as facts.

A rule asks for a datatype if its body names the datatype: `[?v, rdf:type, xsd:integer]`. If a generic rule or a rule of
the user reads any type (`[?x, rdf:type, ?c]`), all datatypes that the closed schema mentions are asked for. The members
of other datatypes are not computed, because no rule could read them. So an IRI that is owl:sameAs a literal does not
get such a datatype as a type. The generic rules of wide kinds (`schema.wide_kinds`) ask for nothing: axioms about
datatypes are translated, to rules that name the datatypes.

Invariant: after `count`, `datatypes` depends only on the rules in force and the closed schema. `rollback` undoes every
`count` and `follow` since the last `accept`. Cost: a look at each rule, once the graph has a literal, and then at each
rule that is added or removed.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from kgreason.materialize.program import ANY, LiveProgram, ProgramChange, datatypes_read
from kgreason.materialize.schema.closure import ClosureChange
from kgreason.materialize.schema.rows import datatype_ids, is_datatype
from kgreason.zset.columns import Int32

NAMES = {number: name for name, number in datatype_ids().items()}
IDS = np.array(sorted(NAMES), dtype=np.int32)


class DatatypesInUse:
    """Counts, for each datatype, the rules that ask for it and the triples of the closed schema that mention it.

    The counts are not needed before the graph has a literal. Until `count` is called, `datatypes` is empty.
    """

    def __init__(self) -> None:
        self.is_counted = False
        self._rules: Counter[int] = Counter()
        self._mentions: Counter[int] = Counter()
        self._wide = 0
        """How many of the atoms that ask for any datatype are in rules of wide kinds."""
        self._before: tuple[bool, Counter[int], Counter[int], int] | None = None
        self.datatypes = frozenset[int]()
        """The ids of the datatypes that are asked for."""

    def _datatypes_of_rules(self) -> frozenset[int]:
        """Return the datatypes that rules name.

        If a rule that is not of wide kinds reads all types, also the datatypes that the schema mentions.
        """
        named = {datatype for datatype, count in self._rules.items() if count and datatype != ANY}
        if self._rules[ANY] > self._wide:
            named |= {datatype for datatype, count in self._mentions.items() if count}
        return frozenset(named)

    def count(self, program: LiveProgram, closure: Int32) -> None:
        """Begin to count: in the rules of `program`, and in `closure`, int32[n, 3], the closed schema.

        From now on call `follow` for each edit.
        """
        self._note()
        self.is_counted, self._rules = True, Counter(datatypes_read(program.rules_in_force))
        self._wide = len(datatypes_read(program.rules_of_wide_kinds))
        self._mentions = Counter(_mentioned_datatypes(closure))
        self.datatypes = self._datatypes_of_rules()

    def _note(self) -> None:
        if self._before is None:
            self._before = self.is_counted, self._rules.copy(), self._mentions.copy(), self._wide

    def follow(self, change: ProgramChange, program: LiveProgram, closure: ClosureChange) -> None:
        """Update the counts: `change` has led to the rules of `program`. `closure`: the change of the closed schema."""
        self._note()
        self._rules.subtract(datatypes_read(change.removed))
        self._rules.update(datatypes_read(change.added))
        self._wide = len(datatypes_read(program.rules_of_wide_kinds))
        self._mentions.subtract(_mentioned_datatypes(closure.removed))
        self._mentions.update(_mentioned_datatypes(closure.added))
        self.datatypes = self._datatypes_of_rules()

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._before = None

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        if self._before is not None:
            self.is_counted, self._rules, self._mentions, self._wide = self._before
            self._before = None
            self.datatypes = self._datatypes_of_rules()


def _mentioned_datatypes(rows: Int32) -> list[int]:
    """Return the datatypes that the schema triples `rows`, int32[n, 3], mention, each as often as it occurs there."""
    ends = rows[:, [0, 2]]
    found: list[int] = ends[is_datatype(ends)].tolist()
    return found
