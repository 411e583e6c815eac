"""`LiveTranslation`: the rules of a schema that is edited, kept up to date edit by edit.

These are the passes of translate.py. Each receives what went and came, and hands on what that changes:

    LiveCovers       triples -> fewer triples             pairs beside those that changed are judged anew
    LiveReadings     schema triples -> axioms            nodes that the edit touches are read anew
    translate_axiom  axiom -> canonical rules            only the axioms that came are translated
    LiveStatements   rules -> one for each statement     a statement is in force while any axiom makes it
    LiveReduction    rules -> without shortcuts          steps that lead to a change are judged anew

Law: after any sequence of edits, `rules` and `warnings` are those of `translate` for the remaining triples, with the
same names, sources and order. So an edit and its reverse leave nothing behind. `log.rollback()` undoes all edits since
`log.commit()`.
Cost: see the passes; what an edit does not touch costs only its memory.
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
    """What an edit did to the rules: those that left, those that came, and those that stay with new sources.

    A rule that gets another name is in `removed` and in `added`.
    """

    removed: Rules
    added: Rules
    restated: Rules


class LiveTranslation:
    """The rules of one profile for a schema that is edited; empty at first.

    `log` remembers what edits change; several translations may share one. `retranslated` counts the axioms that the
    last edit translated.
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
        """How many axioms the schema holds, without those that others imply."""
        return len(self._placed)

    @property
    def rules(self) -> Rules:
        """The rules in force, as `translate` gives them."""
        shortcuts = self._reduction.shortcuts
        return tuple(placed.rule for placed in self._statements.firsts if placed not in shortcuts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each axiom whose list is broken, if the profile has rows for its kind."""
        return warnings_of(self._readings.broken, self.profile)

    @property
    def forks(self) -> frozenset[Constant]:
        """The kinds of axioms whose list forks."""
        return forks_of(self._readings.broken, self.profile)

    def change(
        self,
        removed: Iterable[Triple],
        added: Iterable[Triple],
        twins: Mapping[Constant, Constant | None] = MappingProxyType({}),
    ) -> RuleChange:
        """Remove schema triples, then add others; returns what that does to the rules, in the order of their places.

        `twins`: the restrictions that get another representative, with that representative, or with None if they have
        no representative any more.
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
        """The sources of the axioms whose rules ask for instances of these nodes."""
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
    """The change of rules, where a rule that only moved to another axiom counts as the same."""
    before = {placed.rule: placed for placed in sorted(change.gone, key=order)}
    after = {placed.rule: placed for placed in sorted(change.come, key=order)}
    return RuleChange(
        tuple(rule for rule in before if rule not in after),
        tuple(rule for rule in after if rule not in before),
        tuple(rule for rule, placed in after.items() if rule in before and before[rule].place != placed.place),
    )
