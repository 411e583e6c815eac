"""The algorithm of a commit (docs/architecture/commit.md) misread: `change` with one step read wrongly.

Each is a slip that is easily made in an engine and shows in a few histories in a thousand. A test suite that lets one
pass would let the slip pass; `tests.strategies.counterexamples` holds a small history that gives it away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.oracle.change import EMPTY, Met, Model, Net
from tests.oracle.datalog import Derivation, Fact, Index, Rule, derivations, ground, level_of, stamp_of

# The asserted flag


class FlagAfterRetract(Model):
    """A present fact gets its asserted flag only when Retract is over."""

    def _flag(self, net: Net) -> None:
        super()._flag(net._replace(asserted=[]))
        self._present = list(self.states.keys() & net.asserted)

    def _first_batch(self, net: Net, left: list[Fact]) -> set[Fact]:
        for fact in self.states.keys() & self._present:
            self._set(fact, asserted=True)
        absent = [fact for fact in net.asserted if fact not in self._present]
        return super()._first_batch(net._replace(asserted=absent), left)


class SupportedFlagAfterRetract(Model):
    """A retracted fact that has support keeps its asserted flag until Retract is over."""

    def _flag(self, net: Net) -> None:
        super()._flag(net._replace(retracted=[fact for fact in net.retracted if not self.states[fact].support]))

    def _retract(self, net: Net) -> list[Fact]:
        left = super()._retract(net)
        for fact in self.states.keys() & net.retracted:
            self._set(fact, asserted=False)
        return left


class FlagResetsStamp(Model):
    """A present fact that is asserted gets stamp 0, as an arriving one does."""

    def _flag(self, net: Net) -> None:
        super()._flag(net)
        for fact in self.states.keys() & net.asserted:
            self._set(fact, stamp=0)


# Retract: what leaves


class SeedsAsserted(Model):
    """A head whose last support a leaving rule took is a seed, though it is asserted."""

    def _retract(self, net: Net) -> list[Fact]:
        heads = dict.fromkeys(self._lose(self._met(net.leaving)))
        seeds = [fact for fact in heads if not self.states[fact].support]
        return self._walk(list(dict.fromkeys([*self._unfounded(net.retracted), *seeds])), net.kept)


class WalkTakesAsserted(Model):
    """A head whose last support is taken in a level of Retract leaves, though it is asserted."""

    def _walk(self, leaving: list[Fact], rules: list[Rule]) -> list[Fact]:
        left: list[Fact] = []
        while leaving:
            touched = dict.fromkeys(self._lose(self._met_with(leaving, rules)))
            for fact in leaving:
                del self.states[fact]
            left += leaving
            leaving = [fact for fact in touched if fact in self.states and not self.states[fact].support]
        return left


class SupportedSeeds(Model):
    """A retracted fact leaves though it has support, and returns: its stamp alone is wrong."""

    def _retract(self, net: Net) -> list[Fact]:
        heads = self._unfounded(self._lose(self._met(net.leaving)))
        return self._walk(list(dict.fromkeys([*net.retracted, *heads])), net.kept)


# Retract: which derivations are taken


class LeavingRulesAfterFacts(Model):
    """Leaving rules are evaluated when the retracted facts, and what hung on them, have gone."""

    def _retract(self, net: Net) -> list[Fact]:
        left = self._walk(self._unfounded(net.retracted), net.kept)
        return left + self._walk(self._unfounded(self._lose(self._met(net.leaving))), net.kept)


class LeavingRulesWalked(Model):
    """Leaving rules take part in the levels of Retract too."""

    def _met_with(self, leaving: list[Fact], rules: list[Rule]) -> list[Met]:
        return super()._met_with(leaving, self.rules)


class NewRulesWalked(Model):
    """New rules take part in the levels of Retract, though nothing of theirs is counted yet."""

    def _retract(self, net: Net) -> list[Fact]:
        return super()._retract(net._replace(kept=net.kept + net.new))


class UncountedTaken(Model):
    """A derivation that was never counted takes 1 from its head too."""

    def _lose(self, met: Iterable[Met]) -> list[Fact]:
        return super()._lose([each._replace(newest=EMPTY) for each in met])


class MetForEachLeavingFact(Model):
    """A derivation is met once for each of its body facts that leave in a level."""

    def _met_with(self, leaving: list[Fact], rules: list[Rule]) -> list[Met]:
        lost = super()._met_with
        return [met for fact in leaving for met in lost([fact], rules)]


# Rederive


class RederiveSeesReturned(Model):
    """Rederive runs over the facts that it brought back so far."""

    def _first_batch(self, net: Net, left: list[Fact]) -> set[Fact]:
        fired = self._fire(net)
        returned = [self._take_in(self._rederive(net, [fact])) for fact in sorted(left, key=str)]
        return self._arrive(net).union(self._take_in(fired), *returned)


class RederiveSeesArriving(Model):
    """Rederive runs over the facts that are asserted in this commit."""

    def _first_batch(self, net: Net, left: list[Fact]) -> set[Fact]:
        fired = self._fire(net)
        return self._arrive(net) | self._take_in([*self._rederive(net, left), *fired])


class RederiveByNewRules(Model):
    """Rederive runs the new rules too."""

    def _rederive(self, net: Net, left: list[Fact]) -> list[Met]:
        return super()._rederive(net._replace(kept=net.kept + net.new), left)


class RederiveByLeavingRules(Model):
    """Rederive runs the leaving rules too."""

    def _rederive(self, net: Net, left: list[Fact]) -> list[Met]:
        return super()._rederive(net._replace(kept=net.kept + net.leaving), left)


class RederiveOnce(Model):
    """Rederive stops at the first derivation of a fact."""

    def _rederive(self, net: Net, left: list[Fact]) -> list[Met]:
        return list({met.head: met for met in super()._rederive(net, left)}.values())


class RederiveAllHeads(Model):
    """A derivation that brings a fact back is counted for its other heads too, which never left."""

    def _rederive(self, net: Net, left: list[Fact]) -> list[Met]:
        found = derivations(Index(self.states), net.kept)
        return [met for derivation in found if derivation.heads.intersection(left) for met in self._met_by(derivation)]


# Assert


class NewRulesSkipOldHeads(Model):
    """A derivation by a new rule is not counted for a head that is present already."""

    def _fire(self, net: Net) -> list[Met]:
        return [met for met in super()._fire(net) if met.head not in self.states]


class NewRulesOverBatch(Model):
    """New rules are evaluated over what returned and arrived, whose derivations the first level meets again."""

    def _first_batch(self, net: Net, left: list[Fact]) -> set[Fact]:
        batch = self._take_in(self._rederive(net, left)) | self._arrive(net)
        return batch | self._take_in(self._fire(net))


class NewRulesBeforeRetract(Model):
    """New rules are evaluated over the facts as before the commit, those that leave among them."""

    def _retract(self, net: Net) -> list[Fact]:
        self._fired = super()._fire(net)
        return super()._retract(net)

    def _fire(self, net: Net) -> list[Met]:
        return self._fired


class EmptyBodiesFireAgain(Model):
    """Kept rules with an empty body fire in every commit."""

    def _fire(self, net: Net) -> list[Met]:
        return super()._fire(net._replace(new=net.new + [rule for rule in net.kept if not rule.body]))


class MetForEachNewFact(Model):
    """A derivation is met once for each of its body facts that are new in a level."""

    def _gained(self, batch: set[Fact]) -> list[Met]:
        gained = super()._gained
        return [met for fact in batch for met in gained({fact})]


class OldHeadsNotCounted(Model):
    """A derivation met in a level is not counted for a head that is present already."""

    def _gained(self, batch: set[Fact]) -> list[Met]:
        return [met for met in super()._gained(batch) if met.head not in self.states]


class StampOfTheBest(Model):
    """A new head gets its stamp from the derivation with the oldest body, and counts them all."""

    def _level(self, newest: list[int]) -> int:
        return 1 + max(0, min(map(level_of, newest)))

    def _take_in(self, met: Iterable[Met]) -> set[Fact]:
        met = list(met)
        new = super()._take_in(met)
        counts = Counter(each.head for each in met)
        for head in new:
            self._set(head, support=counts[head])
        return new


# Counting


class SameStampCounted(Model):
    """A derivation is counted where its newest body fact has the stamp of the head."""

    def _is_counted(self, met: Met) -> bool:
        return met.newest <= self.states[met.head].stamp


class SameLevelCounted(Model):
    """A derivation is counted where its newest body fact has the level of the head, however frail that fact is."""

    def _is_counted(self, met: Met) -> bool:
        return level_of(met.newest) <= level_of(self.states[met.head].stamp)


class SameLevelNotCounted(Model):
    """A derivation is counted only where its newest body fact has a smaller level than the head."""

    def _is_counted(self, met: Met) -> bool:
        return level_of(met.newest) < level_of(self.states[met.head].stamp)


class FrailtyFollowsSupport(Model):
    """A fact becomes less frail when it gains support later."""

    def _take_in(self, met: Iterable[Met]) -> set[Fact]:
        met = list(met)
        new = super()._take_in(met)
        for head in {each.head for each in met}:
            state = self.states[head]
            self._set(head, stamp=stamp_of(level_of(state.stamp), state.support))
        return new


class FrailtyOfOne(Model):
    """Derivations are counted as if each fact had appeared with one derivation."""

    def _is_counted(self, met: Met) -> bool:
        level = level_of(self.states[met.head].stamp)
        return met.newest < stamp_of(level, 1)


class EmptyBodyNotCounted(Model):
    """An empty body is ranked like an asserted fact, so that asserted heads do not count it."""

    def _is_counted(self, met: Met) -> bool:
        return max(met.newest, 0) < self.states[met.head].stamp


class HeadsCountedTwice(Model):
    """A rule two of whose heads become one fact counts twice for it."""

    def _met_by(self, derivation: Derivation) -> list[Met]:
        newest = super()._met_by(derivation)[0].newest
        binding = dict(derivation.substitution)
        return [Met(ground(head, binding), newest) for head in derivation.rule.heads]


MISREADINGS: dict[str, type[Model]] = {
    each.__name__: each for each in Model.__subclasses__() if each.__module__ == __name__
}
"""Every wrong reading by its name."""
