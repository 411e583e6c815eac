"""Three older algorithms of a commit, each a change of one step of `change.Model`, to compare Update with.

    Counting     all derivations count (Gupta, Mumick and Subrahmanian 1993). Wrong where facts derive each other in a
                 circle: they hold each other up.
    DRed         nothing counts (Delete and Rederive, the same authors): whatever a leaving fact helped to derive
                 leaves, and comes back if it has another derivation.
    Iterations   each fact has one counter for each global iteration of its derivations, as in Zhao et al., *Towards
                 Elastic Incrementalization for Datalog*: a fact that loses its first iteration moves to its next one,
                 and so does all that was derived from it.

Law: after every commit the facts and flags are those of evaluation from scratch, for `Counting` only without circles;
the iterations of `Iterations` are the levels of evaluation from scratch. `looked` is the number of derivations that a
commit looked at, which is what an implementation pays for.

`python -m tests.oracle.commits.baselines` prints `looked` for the cases in docs/decisions/local-stamps.md. Cost: that
of `change`.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from random import Random

from tests.histories.history import History, in_line
from tests.oracle.change import Kinds, Met, Model, Wishes, difference, wished
from tests.oracle.datalog import Derivation, Fact, Index, Rule, State, convert, derivations, plain


class Update(Model):
    """The algorithm of the engine."""

    looked = 0

    def _lose(self, met: Iterable[Met]) -> list[Fact]:
        met = list(met)
        self.looked += len(met)
        return super()._lose(met)

    def _take_in(self, met: Iterable[Met]) -> set[Fact]:
        met = list(met)
        self.looked += len(met)
        return super()._take_in(met)


class Counting(Update):
    """Every derivation counts, also one that uses its own head."""

    def _is_counted(self, met: Met) -> bool:
        return True


class DRed(Counting):
    """Every fact that loses a derivation leaves, unless it is asserted."""

    def _unfounded(self, touched: Iterable[Fact]) -> list[Fact]:
        present = dict.fromkeys(fact for fact in touched if fact in self.states)
        return [fact for fact in present if not self.states[fact].asserted]


class Iterations:
    """`counts[fact][n]`: how many derivations of a fact have the newest fact of their body in iteration n - 1.

    `levels` has the first iteration of each fact; asserted facts are in iteration 0.
    """

    def __init__(self) -> None:
        self.levels: dict[Fact, int] = {}
        self.counts: defaultdict[Fact, Counter[int]] = defaultdict(Counter)
        self.rules: list[Rule] = []
        self._asserted: set[Fact] = set()
        self.looked = 0

    @property
    def states(self) -> dict[Fact, State]:
        """The facts and their flags, as `change.Model` has them."""
        return {fact: State(level, 0, fact in self._asserted) for fact, level in self.levels.items()}

    def commit(self, facts: Wishes, rules: Wishes) -> Kinds:
        """Assert (+1) and retract (-1) facts, add and remove rules; what changed."""
        before, old, known = self.states, self.levels, self.rules
        for fact, is_wanted in wished(plain, facts).items():
            (self._asserted.add if is_wanted else self._asserted.discard)(fact)
        active = dict.fromkeys(known, True) | wished(convert, rules)
        self.rules = [rule for rule, is_active in active.items() if is_active]
        left, came = set(known) - set(self.rules), set(self.rules) - set(known)
        over = self._by_iteration(old, known)
        self.levels = dict.fromkeys(self._asserted, 0)
        last = 0
        while True:
            moved = {fact for fact in {**old, **self.levels} if self._has_moved(fact, old, last)}
            self._count(-1, last + 1, [each for each in over[last] if each.rule in left or each.body & moved])
            new = self._by_iteration(self.levels, self.rules)[last]
            self._count(1, last + 1, [each for each in new if each.rule in came or each.body & moved])
            last += 1
            arrived = [fact for fact, counts in self.counts.items() if counts[last] and fact not in self.levels]
            self.levels |= dict.fromkeys(arrived, last)
            if not arrived and last > max(old.values(), default=0):
                return difference(before, self.states)

    def _has_moved(self, fact: Fact, old: Mapping[Fact, int], last: int) -> bool:
        """Whether a fact is or was there by the iteration `last`, and is not where it was."""
        was, is_now = old.get(fact), self.levels.get(fact)
        return was != is_now and any(level is not None and level <= last for level in (was, is_now))

    def _by_iteration(self, levels: Mapping[Fact, int], rules: list[Rule]) -> defaultdict[int, list[Derivation]]:
        """The derivations over these facts, by the iteration of their newest fact; 0 for an empty body."""
        found = defaultdict(list)
        for each in derivations(Index(levels), rules):
            found[max((levels[fact] for fact in each.body), default=0)].append(each)
        return found

    def _count(self, sign: int, iteration: int, found: list[Derivation]) -> None:
        for each in found:
            self.looked += len(each.heads)
            for head in each.heads:
                self.counts[head][iteration] += sign


CLOSURE = "+ tc(?x, ?y) :- edge(?x, ?y) ; + tc(?x, ?z) :- tc(?x, ?y), edge(?y, ?z)"


def graph(edges: Iterable[tuple[int, int]], edge: tuple[int, int]) -> History:
    """The closure of a graph, then one edge that goes and comes back."""
    one = "edge({}, {})".format(*edge)
    facts = " ; ".join(f"+ edge({x}, {y})" for x, y in edges)
    return in_line(f"{CLOSURE} ; {facts} | - {one} | + {one}")


def _grid(size: int) -> Iterator[tuple[int, int]]:
    for x in range(size):
        for y in range(size):
            if x + 1 < size:
                yield size * x + y, size * (x + 1) + y
            if y + 1 < size:
                yield size * x + y, size * x + y + 1


def _random(nodes: int, count: int) -> list[tuple[int, int]]:
    draw = Random(1)
    return sorted({(draw.randrange(nodes), draw.randrange(nodes)) for _ in range(count)})


CASES: dict[str, Callable[[], History]] = {
    "chain of 30, first edge": lambda: graph([(n, n + 1) for n in range(30)], (0, 1)),
    "circle of 20": lambda: graph([(n, (n + 1) % 20) for n in range(20)], (0, 1)),
    "grid of 6 by 6, first edge": lambda: graph(_grid(6), (0, 1)),
    "grid of 6 by 6, last edge": lambda: graph(_grid(6), (34, 35)),
    "random, 25 nodes, 100 edges": lambda: graph(pairs := _random(25, 100), pairs[50]),
    "random, 40 nodes, 60 edges": lambda: graph(pairs := _random(40, 60), pairs[30]),
    "shortcut of a chain of 20": lambda: graph([*((n, n + 1) for n in range(20)), (0, 15)], (0, 15)),
}


def costs(history: History) -> dict[str, list[int]]:
    """For each algorithm, the derivations that each commit of a history looks at."""
    found = {}
    for reading in (Update, DRed, Counting, Iterations):
        model, counts = reading(), [0]
        for commit in history:
            model.commit(*commit)
            counts.append(model.looked)
        found[reading.__name__] = [after - before for before, after in pairwise(counts)]
    return found


if __name__ == "__main__":
    for case, make in CASES.items():
        for name, (first, deleted, added) in costs(make()).items():
            sys.stdout.write(f"{case:30}{name:12}{first:8,}{deleted:8,}{added:8,}\n")
