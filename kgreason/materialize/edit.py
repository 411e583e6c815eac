"""`Edit`: the input of a commit. `Means`: how it is evaluated. `Facts`: rows of tables. `Change`: its result.

Rows are ids of a dictionary: a quad is subject, predicate, object and graph, and graph 0 is the default graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Check, Strategy
from kgreason.engine.memory.layout import Int32
from kgreason.engine.rebuild import Rows
from kgreason.rules.model import Rule

if TYPE_CHECKING:
    from kgreason.materialize.precomputed import Evaluated


class Facts(NamedTuple):
    """Rows to assert and rows to retract, by table. Tables without rows are left out: `any(facts)` finds any row."""

    added: Rows
    removed: Rows

    @classmethod
    def of(cls, added: Rows, removed: Rows) -> Self:
        """The same rows as `Facts`, without the tables that have no rows."""
        return cls(*({table: rows for table, rows in part.items() if len(rows)} for part in (added, removed)))


def together(found: Iterable[Facts]) -> Facts:
    """All these facts to assert and to retract."""
    parts: tuple[defaultdict[int, list[Int32]], ...] = (defaultdict(list), defaultdict(list))
    for facts in found:
        for part, rows in zip(parts, facts, strict=True):
            for table, each in rows.items():
                part[table].append(each)
    return Facts(*({table: np.concatenate(rows) for table, rows in part.items()} for part in parts))


NO_FACTS = Facts({}, {})
NO_QUADS: Int32 = np.empty((0, 4), dtype=np.int32)


class Edit(NamedTuple):
    """What a commit is asked to do: quads int32[n, 4] to retract, each once, quads to assert, and the user's rules.

    `own`: all rules of the user from now on; None if they stay as they are. `evaluated`: the closure of the quads,
    computed elsewhere, for a graph without facts. `unknown`: the number of further quads to retract that mention a term
    which the dictionary does not have. The graph cannot hold these quads. `facts`: facts of relations to assert and to
    retract, by the width of their rows (`relations.facts`).
    """

    removed: Int32 = NO_QUADS
    added: Int32 = NO_QUADS
    own: tuple[Rule, ...] | None = None
    evaluated: Evaluated | None = None
    unknown: int = 0
    facts: Facts = NO_FACTS


class Means(NamedTuple):
    """How a commit is evaluated. Each step takes the next one of `strategies`, which is an endless iterator."""

    strategies: Iterator[Strategy]
    budget: int | None
    check: Check
    is_first: bool


class Part(Protocol):
    """A part of the materializer with a state of its own. After a change, `accept` or `rollback` must follow."""

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""


class Work(NamedTuple):
    """How a commit was evaluated.

    `strategy`: "update" or "bootstrap". `switched`: an Update was begun and dropped, and a Bootstrap ran. `rewrites`:
    how many rewrites were extended. `retranslated`: how many of the `axioms` were translated anew. `rules_added`,
    `rules_removed`: how many rules the commit added and removed.
    """

    strategy: str
    switched: bool
    rewrites: int
    retranslated: int = 0
    axioms: int = 0
    rules_added: int = 0
    rules_removed: int = 0


class Refuted(NamedTuple):
    """What an edit did to the contradictions, as far as the engine knows without a look at other facts.

    `arrived`, `left`: facts of `false` came, or went. `respelled`: terms became equal or different, so that facts of
    `false` may stand for other contradictions than before.
    """

    arrived: bool = False
    left: bool = False
    respelled: bool = False


class Kinds(NamedTuple):
    """Facts of relations, int32[n, w], with their kinds (absent, inferred, asserted) before and after, int8[n] each."""

    rows: Int32
    before: NDArray[np.int8]
    after: NDArray[np.int8]


NO_KINDS = Kinds(np.empty((0, 1), dtype=np.int32), *(np.empty(0, dtype=np.int8),) * 2)


class Change(NamedTuple):
    """What an edit did: the RDF triples int32[n, 3] whose kind changed, both kinds of each, and quads int32[m, 4].

    `removed_quads`: the quads that are no longer asserted. `added_quads`: the quads that are newly asserted. `missed`:
    how many of the quads to retract were not asserted. `refuted`: whether contradictions came or went.
    `facts`: the facts of the user's relations whose kind changed (`relations.facts`).
    """

    rows: Int32
    before: NDArray[np.int8]
    after: NDArray[np.int8]
    removed_quads: Int32
    added_quads: Int32
    missed: int
    work: Work
    refuted: Refuted = Refuted()
    facts: Kinds = NO_KINDS
