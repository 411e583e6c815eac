"""`LiveReduction`: the pass `reduce` over rules that come and go.

`reduce` judges one step after another, the last first: a step is a shortcut if its head is reached from its body
through the steps before it, shortcuts included, and those after it that are kept. What can be reached stays the same
throughout. So the verdict on a step depends on the steps that apply to what its body reaches, and on nothing else:
where steps come or go, those are judged anew from whose body a chain leads there. Chains are followed backwards by
predicate and object alone, which may find too many, never too few.

Law: after any changes `shortcuts` are the rules that `reduce` takes out of those that are there, in the order of their
places. Cost: a walk, as in `reduce`, for each step that leads to a change; a subclass axiom low in a hierarchy judges
itself, one at the top all that is below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from kgreason.ontology.reduce import Key, is_shortcut, is_step, key
from kgreason.ontology.statements import Change, Placed
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.model import Term


class LiveReduction:
    """Which steps are shortcuts; without rules at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._bodies = _Ends(log)
        self._heads = _Ends(log)
        self._shortcuts: dict[Placed, None] = {}

    @property
    def shortcuts(self) -> frozenset[Placed]:
        """The steps that others make superfluous."""
        return frozenset(self._shortcuts)

    def change(self, rules: Change[Placed]) -> Change[Placed]:
        """Take rules away and add others, each in one place; the rules that leave what is left, and those that join."""
        gone = [placed for placed in rules.gone if not self._forget(placed)]
        come = [placed for placed in rules.come if not is_step(placed.rule)]
        new = {placed for placed in rules.come if is_step(placed.rule)}
        for placed in new:
            self._bodies.add(key(placed.rule.body[0]), placed)
            self._heads.add(key(placed.rule.heads[0]), placed)
        keys = {key(placed.rule.body[0]) for placed in (*rules.gone, *new) if is_step(placed.rule)}
        for placed in sorted(self._leading_to(keys), reverse=True):
            was_left = placed not in new and placed not in self._shortcuts
            is_left = self._judge(placed)
            if was_left and not is_left:
                gone.append(placed)
            elif is_left and not was_left:
                come.append(placed)
        return Change(tuple(gone), tuple(come))

    def _forget(self, placed: Placed) -> bool:
        """Take a rule out; whether it was a shortcut."""
        if is_step(placed.rule):
            self._bodies.discard(key(placed.rule.body[0]), placed)
            self._heads.discard(key(placed.rule.heads[0]), placed)
        if placed not in self._shortcuts:
            return False
        self._log.drop(self._shortcuts, placed)
        return True

    def _judge(self, judged: Placed) -> bool:
        """Whether a step stays; those after it have been judged."""
        is_left = not is_shortcut(
            judged.rule,
            lambda found: (
                step.rule for step in self._bodies.at(found) if step < judged or step not in self._shortcuts
            ),
        )
        if is_left and judged in self._shortcuts:
            self._log.drop(self._shortcuts, judged)
        elif not is_left and judged not in self._shortcuts:
            self._log.put(self._shortcuts, judged, None)
        return is_left

    def _leading_to(self, keys: Iterable[Key]) -> set[Placed]:
        """The steps from whose body a chain may lead to a fact that one of these keys asks for."""
        found = dict.fromkeys(keys)
        waiting = list(found)
        for each in waiting:
            for step in self._heads.meeting(each):
                before = key(step.rule.body[0])
                if before not in found:
                    found[before] = None
                    waiting.append(before)
        return {step for each in found for step in self._bodies.meeting(each)}


class _Ends:
    """Steps by the key of their head, or of their body."""

    def __init__(self, log: UndoLog) -> None:
        self._steps: Index[Key, Placed] = Index(log)
        self._keys: Index[Term, Key] = Index(log)

    def add(self, end: Key, step: Placed) -> None:
        if not self.at(end):
            self._keys.add(end[0], end)
        self._steps.add(end, step)

    def discard(self, end: Key, step: Placed) -> None:
        self._steps.discard(end, step)
        if not self.at(end):
            self._keys.discard(end[0], end)

    def at(self, end: Key) -> Iterable[Placed]:
        return self._steps.at(end)

    def meeting(self, end: Key) -> Iterator[Placed]:
        """The steps whose end may be about the facts that `end` is about."""
        predicate, object_ = end
        ends = self._keys.at(predicate) if object_ is None else (end, (predicate, None))
        return chain.from_iterable(map(self._steps.at, ends))
