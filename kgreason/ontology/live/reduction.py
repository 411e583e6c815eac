"""`LiveReduction`: the pass `reduce` for rules that are added and removed.

A *step* is a rule with one body atom and one head. `reduce` checks the steps one by one, the last one first. A step is
a shortcut if its head can be reached from its body through other steps: through steps before it, and through kept steps
after it. Removing shortcuts does not change which facts can be reached. So the result for a step depends only on the
steps that start where its body leads. When a step is added or removed, all steps are checked again from whose body a
chain leads to the body of this step. Chains are followed backwards by predicate and object alone; this may find too
many steps, but never too few.

Shortcuts that are not checked again are left out of the walks. A chain that replaces such a shortcut does not lead to
the change, so it is not part of the walks of the steps that are checked.

Law: after any changes, `shortcuts` are the rules that `reduce` removes from the present rules, in the order of their
places. Cost: a walk, as in `reduce`, for each step that leads to a change. For a subclass axiom at the bottom of a
hierarchy only its own step is checked; for one at the top, all steps below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import attrgetter

from kgreason.ontology.change import Change
from kgreason.ontology.live.statements import Placed, order
from kgreason.ontology.reduce.reduce import Key, Ways, is_step, key
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Term


class LiveReduction:
    """The present rules and the shortcuts among them; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._bodies = _Ends(log)
        self._heads = _Ends(log)
        self._shortcuts: dict[Placed, None] = {}

    @property
    def shortcuts(self) -> frozenset[Placed]:
        """The steps that chains of other steps make superfluous."""
        return frozenset(self._shortcuts)

    def change(self, rules: Change[Placed]) -> Change[Placed]:
        """Remove rules and add others. Returns the change of the remaining rules, those that are not shortcuts."""
        gone = [placed for placed in rules.gone if not self._forget(placed)]
        come = [placed for placed in rules.come if not is_step(placed.rule)]
        new = {placed: key(placed.rule.body[0]) for placed in rules.come if is_step(placed.rule)}
        for placed, end in new.items():
            self._bodies.add(end, placed)
            self._heads.add(key(placed.rule.heads[0]), placed)
        left = {key(placed.rule.body[0]) for placed in rules.gone if is_step(placed.rule)}
        judged = self._leading_to(dict.fromkeys(chain(left, new.values())))
        was_left = {placed for placed in judged if not self._reopened(placed) and placed not in new}
        ways = Ways[Placed](self._open, attrgetter("rule"))
        for placed in sorted(judged, key=order, reverse=True):
            if self._judge(placed, ways):
                come += [placed] if placed not in was_left else ()
            elif placed in was_left:
                gone.append(placed)
        return Change(tuple(gone), tuple(come))

    def _forget(self, placed: Placed) -> bool:
        """Remove a rule. Returns whether it was a shortcut."""
        if is_step(placed.rule):
            self._bodies.discard(key(placed.rule.body[0]), placed)
            self._heads.discard(key(placed.rule.heads[0]), placed)
        return self._reopened(placed)

    def _reopened(self, placed: Placed) -> bool:
        """Remove a rule from the shortcuts. Returns whether it was a shortcut."""
        if placed not in self._shortcuts:
            return False
        self._log.drop(self._shortcuts, placed)
        return True

    def _open(self, end: Key) -> Iterator[Placed]:
        """The steps whose body has this key and that are not known to be shortcuts."""
        return (step for step in self._bodies.at(end) if step not in self._shortcuts)

    def _judge(self, placed: Placed, ways: Ways[Placed]) -> bool:
        """Check whether a step is a shortcut, and note the result. Returns True if the step stays.

        Call it for the last step first: the steps after this one must have been checked.
        """
        if not ways.has_detour(placed):
            return True
        self._log.put(self._shortcuts, placed, None)
        ways.close(placed)
        return False

    def _leading_to(self, found: dict[Key, None]) -> dict[Placed, None]:
        """The steps from whose body a chain of steps may lead to facts with one of the keys in `found`."""
        waiting = list(found)
        for each in waiting:
            for step in self._heads.meeting(each):
                before = key(step.rule.body[0])
                if before not in found:
                    found[before] = None
                    waiting.append(before)
        return dict.fromkeys(step for each in found for step in self._bodies.meeting(each))


class _Ends:
    """An index of steps by a key (predicate and object) of their heads, or of their bodies."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._steps: dict[Term, dict[Term | None, dict[Placed, None]]] = {}

    def add(self, end: Key, step: Placed) -> None:
        predicate, object_ = end
        objects = self._steps.get(predicate)
        if objects is None:
            self._log.put(self._steps, predicate, {object_: {step: None}})
        elif object_ not in objects:
            self._log.put(objects, object_, {step: None})
        else:
            self._log.put(objects[object_], step, None)

    def discard(self, end: Key, step: Placed) -> None:
        predicate, object_ = end
        objects = self._steps[predicate]
        self._log.drop(objects[object_], step)
        if not objects[object_]:
            self._log.drop(objects, object_)
        if not objects:
            self._log.drop(self._steps, predicate)

    def at(self, end: Key) -> Iterable[Placed]:
        return self._steps.get(end[0], {}).get(end[1], ())

    def meeting(self, end: Key) -> Iterable[Placed]:
        """The steps with a key that can match the same facts as the key `end`."""
        predicate, object_ = end
        if object_ is None:
            return chain.from_iterable(self._steps.get(predicate, {}).values())
        return chain(self.at(end), self.at((predicate, None)))
