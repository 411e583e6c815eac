"""`LiveReduction`: the pass `reduce` over rules that come and go.

`reduce` judges one step after another, the last one first. A step is a shortcut if its head is reached from its body
through two kinds of steps: all those before it, shortcuts included, and those after it that are kept. Removing
shortcuts does not change what can be reached. So the verdict on a step depends only on the steps that apply to what its
body reaches. Where a step comes or goes, the steps from whose body a chain leads there are judged anew. Chains are
followed backwards by predicate and object alone; this may find too many steps, but never too few.

Shortcuts that are not judged anew are left out of the walks. The steps that replace such a shortcut lead to no change,
so they are not part of a chain that is judged.

Law: after any changes, `shortcuts` are the rules that `reduce` removes from the present ones, in the order of their
places. Cost: a walk, as in `reduce`, for each step that leads to a change. A subclass axiom low in a hierarchy judges
only itself, one at the top judges all that is below.
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
    """Which steps are shortcuts; it has no rules at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._bodies = _Ends(log)
        self._heads = _Ends(log)
        self._shortcuts: dict[Placed, None] = {}

    @property
    def shortcuts(self) -> frozenset[Placed]:
        """The steps that other steps make superfluous."""
        return frozenset(self._shortcuts)

    def change(self, rules: Change[Placed]) -> Change[Placed]:
        """Remove rules and add others, each with one place; returns how the rules without shortcuts change."""
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
        """Remove a rule; returns whether it was a shortcut."""
        if is_step(placed.rule):
            self._bodies.discard(key(placed.rule.body[0]), placed)
            self._heads.discard(key(placed.rule.heads[0]), placed)
        return self._reopened(placed)

    def _reopened(self, placed: Placed) -> bool:
        """Note that a rule is not a shortcut; returns whether it was one."""
        if placed not in self._shortcuts:
            return False
        self._log.drop(self._shortcuts, placed)
        return True

    def _open(self, end: Key) -> Iterator[Placed]:
        """The steps whose body has this key and that are not known to be shortcuts."""
        return (step for step in self._bodies.at(end) if step not in self._shortcuts)

    def _judge(self, placed: Placed, ways: Ways[Placed]) -> bool:
        """Whether a step stays; the steps after it have been judged."""
        if not ways.has_detour(placed):
            return True
        self._log.put(self._shortcuts, placed, None)
        ways.close(placed)
        return False

    def _leading_to(self, found: dict[Key, None]) -> dict[Placed, None]:
        """The steps from whose body a chain may lead to facts with one of these keys."""
        waiting = list(found)
        for each in waiting:
            for step in self._heads.meeting(each):
                before = key(step.rule.body[0])
                if before not in found:
                    found[before] = None
                    waiting.append(before)
        return dict.fromkeys(step for each in found for step in self._bodies.meeting(each))


class _Ends:
    """Steps by the key of their head or of their body: by predicate, then by object."""

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
        """The steps whose key may apply to the same facts as `end`."""
        predicate, object_ = end
        if object_ is None:
            return chain.from_iterable(self._steps.get(predicate, {}).values())
        return chain(self.at(end), self.at((predicate, None)))
