"""`LiveTranslation`: the rules of a schema that is edited, kept up to date edit by edit.

These are the passes of translate.py. Each pass takes the items that were removed and added, and returns the items that
are removed and added by its work:

    LiveCovers       triples -> fewer triples             checks the pairs beside changed pairs again
    LiveReadings     schema triples -> axioms             reads the nodes that the edit touches again
    translate_axiom  axiom -> canonical rules             translates only added axioms
    LiveStatements   rules -> rules without duplicates    keeps a statement while any axiom makes it
    LiveReduction    rules -> rules without shortcuts     checks the steps that lead to a change again

Law: after any sequence of edits, `rules` and `warnings` are those of `translate` for the remaining triples, with the
same names, sources and order. So after an edit and its reverse everything is as before. `log.rollback()` undoes all
edits since `log.commit()`.
Cost: see the passes. Triples that an edit does not touch take memory but no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from kgreason.ontology.change import Change
from kgreason.ontology.live.axioms import LiveReadings
from kgreason.ontology.live.reduction import LiveReduction
from kgreason.ontology.live.statements import LiveStatements, Placed, order
from kgreason.ontology.read.axioms import Axiom, place
from kgreason.ontology.reduce.covers import LiveCovers
from kgreason.ontology.translate.normalise import normalise
from kgreason.ontology.translate.translate import (
    Profile,
    Rules,
    asked,
    forks_of,
    represented,
    translate_axiom,
    warnings_of,
)
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.model import Constant, Triple


class RuleChange(NamedTuple):
    """The rules that an edit removed, the rules that it added, and the rules that only got other sources (`restated`).

    A rule that gets another name is in `removed` and in `added`.
    """

    removed: Rules
    added: Rules
    restated: Rules


class LiveTranslation:
    """The rules of one profile for a schema that is edited; empty at first.

    `log` is the undo log of the edits; several translations may share one log. `retranslated` counts the axioms that
    the last edit translated.
    """

    def __init__(self, profile: Profile, log: UndoLog) -> None:
        self.profile = profile
        self.retranslated = 0
        self._log = log
        self._covers = LiveCovers(log)
        self._readings = LiveReadings(log)
        self._placed: dict[tuple[Triple, ...], tuple[Axiom, tuple[Placed, ...]]] = {}
        self._twins: dict[Constant, Constant] = {}
        self._askers: Index[Constant, tuple[Triple, ...]] = Index(log)
        self._statements = LiveStatements(log)
        self._reduction = LiveReduction(log)

    @property
    def axioms(self) -> int:
        """The number of axioms of the schema, without taxonomy pairs that other pairs imply."""
        return len(self._placed)

    @property
    def rules(self) -> Rules:
        """The rules in force: the rules that `translate` gives for the present schema, in the same order."""
        shortcuts = self._reduction.shortcuts
        return tuple(placed.rule for placed in self._statements.firsts if placed not in shortcuts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each broken list or SWRL rule, if the profile has rows for this kind of axiom."""
        return warnings_of(self._readings.broken, self.profile)

    @property
    def forks(self) -> frozenset[Constant]:
        """The kinds of axioms of which some axiom has a forked list (see `read/lists.py`)."""
        return forks_of(self._readings.broken, self.profile)

    def change(
        self,
        removed: Iterable[Triple],
        added: Iterable[Triple],
        twins: Mapping[Constant, Constant | None] = MappingProxyType({}),
    ) -> RuleChange:
        """Remove schema triples, then add others. Returns the change of the rules.

        `twins` maps each restriction that gets another representative to the new representative, or to None if the
        restriction has no representative any more.
        """
        axioms = self._readings.change(*self._covers.change(removed, added))
        gone = [placed for axiom in axioms.gone for placed in self._forget(axiom)]
        self._represent(twins)
        again = [self._placed[sources][0] for sources in self._asking(twins)]
        gone += [placed for axiom in again for placed in self._forget(axiom)]
        fresh = (*axioms.come, *again)
        self.retranslated = len(fresh)
        come = [placed for axiom in fresh for placed in self._translate(axiom)]
        return _net(self._reduction.change(self._statements.change(Change(tuple(gone), tuple(come)))))

    def _represent(self, twins: Mapping[Constant, Constant | None]) -> None:
        for node, first in twins.items():
            if first is not None:
                self._log.put(self._twins, node, first)
            elif node in self._twins:
                self._log.drop(self._twins, node)

    def _asking(self, nodes: Iterable[Constant]) -> Iterable[tuple[Triple, ...]]:
        """The sources of the axioms that have a rule with a body atom `?x rdf:type N`, for one of these nodes N."""
        return sorted({sources for node in nodes for sources in self._askers.at(node)})

    def _forget(self, axiom: Axiom) -> tuple[Placed, ...]:
        _, placed = self._log.drop(self._placed, axiom.sources)
        for class_ in asked(axiom, translate_axiom(axiom, self.profile)):
            self._askers.discard(class_, axiom.sources)
        return placed

    def _translate(self, axiom: Axiom) -> tuple[Placed, ...]:
        rules = translate_axiom(axiom, self.profile)
        for class_ in asked(axiom, rules):
            self._askers.add(class_, axiom.sources)
        rules = normalise(represented(axiom, rules, self._twins))
        placed = tuple(Placed(place(axiom), number, rule) for number, rule in enumerate(rules))
        self._log.put(self._placed, axiom.sources, (axiom, placed))
        return placed


def _net(change: Change[Placed]) -> RuleChange:
    """The change of the rules; a rule that only moved from one axiom to another is `restated`, or not mentioned."""
    before = {placed.rule: placed for placed in sorted(change.gone, key=order)}
    after = {placed.rule: placed for placed in sorted(change.come, key=order)}
    return RuleChange(
        tuple(rule for rule in before if rule not in after),
        tuple(rule for rule in after if rule not in before),
        tuple(rule for rule, placed in after.items() if rule in before and before[rule].place != placed.place),
    )
