"""`Data`: asserts the facts of the hidden relation DATA. They copy the asserted triples that rules ask for by DATA.

    [?x, :q, ?y] :- DATA [?x, :p, ?y]       the rule reads `DATA(?x, :p, ?y)`, a fact for each asserted triple with :p

If a triple becomes asserted, a fact of DATA is asserted. If the triple is no longer asserted, that fact is retracted,
even if rules still derive the triple. For the engine, facts of DATA are facts like others. The rules eq-rep-* copy them
to equal terms (`program`).

Law: after each commit the asserted facts of DATA are the asserted triples that match a triple pattern inside DATA. A
triple also matches if it has another name for a constant of the pattern (owl:sameAs). If rules follow owl:sameAs, a
pattern with one variable in two columns also matches triples with different terms there, because these may be equal.

Cost: nothing while no rule says DATA. Otherwise a look at each triple that a commit asserts or retracts, and at all
facts if patterns change, or if the terms that are equal to constants of patterns may have changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.edit import NO_FACTS, Facts
from kgreason.materialize.interest import Pattern, PlainPattern
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.tables import are_among, unique_rows
from kgreason.materialize.schema.rows import make_rows
from kgreason.rules.model import DATA, Atom, Rule, Variable
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import IS_ASSERTED, Int32

_Mask = NDArray[np.bool_]
_Names = Mapping[int, Int32]
_NO_ROWS = np.empty((0, 3), dtype=np.int32)


class _Pattern(NamedTuple):
    """A triple pattern that rules have inside DATA.

    `constants`: pairs of a column and the constant in that column. `alike`: pairs of columns with the same variable.
    """

    constants: tuple[tuple[int, int], ...]
    alike: tuple[tuple[int, int], ...]

    def matches(self, rows: Int32, names: _Names) -> _Mask:
        """Return for each row of `rows`, int32[n, 3], whether the row matches the pattern: bool[n].

        `names`: constant -> all terms that are equal to it.
        """
        found = np.ones(len(rows), dtype=np.bool_)
        for column, constant in self.constants:
            if constant in names:
                found &= np.isin(rows[:, column], names[constant])
            else:
                found &= rows[:, column] == constant
        for one, other in self.alike:
            found &= rows[:, one] == rows[:, other]
        return found


class Data:
    """Computes the facts of DATA for the rules in force. One thread at a time: the caller holds the graph's lock."""

    def __init__(self, engine: Engine, dictionary: Dictionary, individuals: Individuals) -> None:
        self._engine, self._dictionary, self._individuals = engine, dictionary, individuals
        self._patterns: frozenset[_Pattern] = frozenset()
        self._before = self._patterns
        self._names: _Names | None = None  # None if not known yet
        self.are_any = False
        """Whether rules in force say DATA, or said so before or during the open commit."""

    def follow(self, rules: Collection[Rule]) -> None:
        """Find the triple patterns that `rules`, the rules that are in force now, have inside DATA."""
        atoms = dict.fromkeys(atom for rule in rules for atom in rule.data() if not _derives_data(rule))
        self._patterns, self._names = frozenset(map(self._pattern, atoms)), None
        self.are_any |= bool(self._patterns)

    def patterns(self) -> list[Pattern]:
        """Return patterns that match all triples if rules say DATA: a constant in DATA has all names of its term."""
        return [PlainPattern(self._triples, {})] if self._patterns else []

    def accept(self) -> None:
        """Make the change of rules final."""
        self._before, self.are_any = self._patterns, bool(self._patterns)

    def rollback(self) -> None:
        """Return to the rules that were in force at the last `accept`."""
        self._patterns, self._names, self.are_any = self._before, None, bool(self._before)

    def facts_ahead(self, removed: Int32, added: Int32) -> Facts:
        """Return the facts of DATA to assert and to retract.

        `removed`, `added`: triples int32[n, 3] that are no longer asserted, and that are newly asserted.
        """
        if self._patterns != self._before:
            return self._all_facts(removed, added)
        names = self._names_of_constants()
        return self._facts(*(rows[self._matches(rows, names)] for rows in (removed, added)))

    def facts_of_moved_terms(self, changes: Changes) -> Facts:
        """Return the facts of DATA to assert and to retract because terms became equal or different."""
        if not len(self._individuals.moved_terms(changes)):
            return NO_FACTS
        before, self._names = self._names, None
        names = self._names_of_constants()
        if before is not None and all(np.array_equal(names[each], before[each]) for each in names):
            return NO_FACTS
        return self._all_facts(_NO_ROWS, _NO_ROWS)

    def _all_facts(self, removed: Int32, added: Int32) -> Facts:
        """Return the facts of DATA to assert and to retract, after a look at all asserted triples.

        `removed`: triples that are about to be no longer asserted. `added`: triples that are about to be asserted.
        int32[n, 3] each.
        """
        rows, tables, kinds = self._engine.facts.contents()
        asserted = kinds == IS_ASSERTED
        triples = np.ascontiguousarray(rows[asserted & (tables == self._triples), :3])
        present = rows[asserted & (tables == self._table) & (rows[:, 0] == self._relation), 1:4]
        found = np.concatenate([_rows_without(triples, removed), added])
        wanted = found[self._matches(found, self._names_of_constants())]
        return self._facts(_rows_without(present, wanted), _rows_without(wanted, present))

    def _facts(self, removed: Int32, added: Int32) -> Facts:
        return Facts.of(*({self._table: make_rows(self._relation, rows)} for rows in (added, removed)))

    def _matches(self, rows: Int32, names: _Names) -> _Mask:
        found = np.zeros(len(rows), dtype=np.bool_)
        for pattern in self._patterns:
            found |= pattern.matches(rows, names)
        return found

    def _names_of_constants(self) -> _Names:
        """Return for each constant of a pattern the terms equal to it. Empty if rules do not follow owl:sameAs."""
        if self._names is None:
            constants = {constant for pattern in self._patterns for _, constant in pattern.constants}
            self._names = self._individuals.names(constants) if self._individuals.is_linked else {}
        return self._names

    @property
    def _triples(self) -> int:
        return self._engine.table(True, 3)

    @property
    def _table(self) -> int:
        return self._engine.table(False, 4)

    @property
    def _relation(self) -> int:
        return int(self._dictionary.intern([relation_text(DATA, 3)])[0])

    def _pattern(self, atom: Atom) -> _Pattern:
        ids = [0 if isinstance(term, Variable) else int(self._dictionary.intern([term])[0]) for term in atom.terms]
        pairs = ((one, other) for one in range(3) for other in range(one) if atom.terms[one] == atom.terms[other])
        return _Pattern(
            tuple((column, constant) for column, constant in enumerate(ids) if constant),
            () if self._individuals.is_linked else tuple(pair for pair in pairs if not ids[pair[0]]),
        )


def _derives_data(rule: Rule) -> bool:
    """Whether a rule derives facts of DATA. Such a rule copies them to equal terms."""
    return any(head.relation == DATA for head in rule.heads)


def _rows_without(rows: Int32, others: Int32) -> Int32:
    """Return the rows of `rows`, int32[n, 3], that are not among `others`; each row once."""
    rows = unique_rows([rows])
    kept: Int32 = rows[~are_among(rows, others)]
    return kept
