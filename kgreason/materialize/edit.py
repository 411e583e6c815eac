"""`Edit`: the input of a commit. `EvaluationOptions`: how it is evaluated. `Facts`: rows. `Change`: the result.

Rows are ids of a dictionary: a quad is subject, predicate, object and graph, and graph 0 is the default graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Strategy
from kgreason.engine.facts.facts import Rows
from kgreason.engine.limits import Check
from kgreason.rules.model import Rule
from kgreason.zset.columns import Int32


class Facts(NamedTuple):
    """Facts to assert (`added`) and facts to retract (`removed`). Both map the number of a table to rows of this table.

    Tables without rows are left out, so `any(facts)` tells whether there are rows.
    """

    added: Rows
    removed: Rows

    @classmethod
    def of(cls, added: Rows, removed: Rows) -> Self:
        """Make `Facts` of these rows. Tables without rows are left out."""
        return cls(*({table: rows for table, rows in part.items() if len(rows)} for part in (added, removed)))


def merge_facts(found: Iterable[Facts]) -> Facts:
    """Put several `Facts` together into one."""
    found = [facts for facts in found if facts.added or facts.removed]
    if len(found) < 2:
        return found[0] if found else NO_FACTS
    parts: tuple[defaultdict[int, list[Int32]], ...] = (defaultdict(list), defaultdict(list))
    for facts in found:
        for part, rows in zip(parts, facts, strict=True):
            for table, each in rows.items():
                part[table].append(each)
    return Facts(*({table: np.concatenate(rows) for table, rows in part.items()} for part in parts))


NO_FACTS = Facts({}, {})
NO_QUADS: Int32 = np.empty((0, 4), dtype=np.int32)


class Edit(NamedTuple):
    """The input of a commit.

    - `removed`, `added`: the quads to retract, each once, and the quads to assert; int32[n, 4] each.
    - `own`: all rules of the user from now on; None if the rules stay as they are.
    - `unknown`: the number of further quads to retract that no graph holds, because the dictionary lacks one of their
      terms.
    - `facts`: the facts of relations to assert and to retract (`relations.facts`). Here `Facts` map the width of rows,
      not the number of a table, to rows.
    - `prefixes`: the prefixes that the files of the edit declare.
    """

    removed: Int32 = NO_QUADS
    added: Int32 = NO_QUADS
    own: tuple[Rule, ...] | None = None
    unknown: int = 0
    facts: Facts = NO_FACTS
    prefixes: Mapping[str, str] = MappingProxyType({})


class EvaluationOptions(NamedTuple):
    """How a commit is evaluated.

    - `strategies`: an endless iterator; each step of the commit takes the next strategy.
    - `budget`: how many rewrites may be extended; None means any number.
    - `check`: called from time to time; it may raise an error to stop the work.
    - `is_first`: whether this is the first `change` of the commit.
    """

    strategies: Iterator[Strategy]
    budget: int | None
    check: Check
    is_first: bool


class StatefulPart(Protocol):
    """A part of the materializer that keeps a state.

    After a change of this state, `accept` or `rollback` must follow.
    """

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""


class Work(NamedTuple):
    """How a commit was evaluated.

    `strategy`: "update" or "bootstrap". `switched`: an Update was begun and dropped, and a Bootstrap ran. `rewrites`:
    how many rewrites were extended. `axioms`: how many axioms have rules of their own, which those that a generic rule
    reads do not have. `retranslated`: how many of these were translated anew. `rules_added`, `rules_removed`: how many
    rules the commit added and removed.
    """

    strategy: str
    switched: bool
    rewrites: int
    retranslated: int = 0
    axioms: int = 0
    rules_added: int = 0
    rules_removed: int = 0


class ContradictionChanges(NamedTuple):
    """Which of three things an edit did to contradictions. A contradiction is a fact of the relation `false`.

    - `arrived`: facts of `false` appeared.
    - `left`: facts of `false` disappeared.
    - `respelled`: terms became equal or different. So a fact of `false` may now stand for another contradiction.
    """

    arrived: bool = False
    left: bool = False
    respelled: bool = False


class KindChanges(NamedTuple):
    """Rows int32[n, w] of one table, with their kinds (absent, inferred, asserted) before and after, int8[n] each."""

    rows: Int32
    before: NDArray[np.int8]
    after: NDArray[np.int8]


NO_KINDS = KindChanges(np.empty((0, 1), dtype=np.int32), *(np.empty(0, dtype=np.int8),) * 2)


class Change(NamedTuple):
    """The result of a commit.

    - `rows`, `before`, `after`: the RDF triples int32[n, 3] whose kind changed, with their kinds (absent, inferred,
      asserted) before and after, int8[n] each.
    - `removed_quads`, `added_quads`: the quads int32[m, 4] that are no longer asserted, and the newly asserted ones.
    - `missed`: how many of the quads to retract were not asserted.
    - `work`: how the commit was evaluated.
    - `refuted`: whether contradictions came or went.
    - `facts`: the facts of the user's relations whose kind changed (`relations.facts`).
    - `is_plain`: `rows` are all facts that changed, no term is equal to another one, and no named graph is used. So
      hidden facts, facts of `false` and named graphs are as they were.
    """

    rows: Int32
    before: NDArray[np.int8]
    after: NDArray[np.int8]
    removed_quads: Int32
    added_quads: Int32
    missed: int
    work: Work
    refuted: ContradictionChanges = ContradictionChanges()
    facts: KindChanges = NO_KINDS
    is_plain: bool = False
