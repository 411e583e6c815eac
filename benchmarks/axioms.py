"""The time to add or remove an axiom in LUBM(5,0) under OWL 2 RL, divided by the time of a Bootstrap.

    low         full professors are leaders: a class without subclasses gets one more superclass
    top         persons are agents: the class of most individuals gets one more superclass
    transitive  subOrganizationOf stops being transitive, and becomes transitive again

The time is that of the whole change of a `Materializer`: it closes the schema again, translates the axioms that the
edit touches, and gives rules and facts to the engine. The share of the engine is a second figure. The value is the
worst of adding and removing, each in a state after a Bootstrap and in a state that grew by single commits.

Cost: about ten seconds, and 0.5 GB.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.lubm import NAMESPACE, materialize, told
from benchmarks.model import Measurement
from benchmarks.states import GROWN, Start, add_singly, of_triples, recombined, seconds
from benchmarks.workspace import Workspace
from kgreason.engine.engine import Engine
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

LOW: Triple = (f"<{NAMESPACE}FullProfessor>", v.RDFS_SUB_CLASS_OF, "<http://example.org/bench/Leader>")
TOP: Triple = (f"<{NAMESPACE}Person>", v.RDFS_SUB_CLASS_OF, "<http://example.org/bench/Agent>")
TRANSITIVE: Triple = (f"<{NAMESPACE}subOrganizationOf>", v.RDF_TYPE, v.OWL_TRANSITIVE_PROPERTY)
_ROUNDS = 5


class Taken(NamedTuple):
    """The seconds of an edit, and the seconds that the engine took of them."""

    whole: float
    engine: float


class Found(NamedTuple):
    """The edits of a state: the first pair, then those that count, added and removed apart."""

    first: list[Taken]
    added: list[Taken]
    removed: list[Taken]


def edited(axiom: Triple, workspace: Workspace) -> Measurement:
    """An axiom added and removed at LUBM(5,0)."""
    return over_bootstrap(materialize(workspace, 5), axiom, _ROUNDS)


def over_bootstrap(materializer: Materializer, axiom: Triple, rounds: int) -> Measurement:
    """Changing an axiom over Bootstrap, medians; a figure for each way to do it, and for the engine's share."""
    start = of_triples(materializer)
    materializer.engine.bootstrap({**told(materializer), start.table: start.rows})
    bootstraps: list[float] = []
    states = {"fresh": _edits(materializer, axiom, start, rounds, bootstraps)}
    add_singly(materializer.engine, start.table, recombined(materializer.engine, start.rows[: start.changed], GROWN))
    states["grown"] = _edits(materializer, axiom, start, rounds, bootstraps)
    whole, others = _ratios(states, median(bootstraps))
    how = f"medians of {rounds} rounds in each state, {len(bootstraps)} Bootstraps in turns with them"
    return Measurement(whole, how, others | {"bootstrap": (median(bootstraps), "s")})


def _edits(materializer: Materializer, axiom: Triple, start: Start, rounds: int, bootstraps: list[float]) -> Found:
    """Add and remove an axiom (or remove and add it, if it is asserted), in turns with Bootstraps."""
    quad = materializer.dictionary.intern(axiom)
    row = np.array([[*quad, 0]], dtype=np.int32)
    is_there = bool(materializer.holds(row[:, :3].copy())[0])
    edits = [Edit(added=row), Edit(removed=row)][:: -1 if is_there else 1]
    found = Found([_taken(materializer, edit) for edit in edits], [], [])
    for _ in range(rounds):
        for edit in edits:
            (found.added if len(edit.added) else found.removed).append(_taken(materializer, edit))
        bootstraps.append(start.bootstrap())
    return found


def _taken(materializer: Materializer, edit: Edit) -> Taken:
    gc.collect()
    with _clocked(materializer.engine) as shares:
        return Taken(seconds(lambda: _commit(materializer, edit)), sum(shares))


def _commit(materializer: Materializer, edit: Edit) -> None:
    materializer.change(edit, strategy="update")
    materializer.accept()


@contextmanager
def _clocked(engine: Engine) -> Iterator[list[float]]:
    """Note the seconds of every step of a commit that the engine is asked for."""
    shares: list[float] = []

    def clocked(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            made: list[Any] = []
            shares.append(seconds(lambda: made.append(step(*arguments, **named))))
            return made[0]

        return run

    with ExitStack() as patches:
        for name in ("begin", "apply", "changes", "accept"):
            patches.enter_context(patch.object(engine, name, clocked(getattr(engine, name))))
        yield shares


def _ratios(states: dict[str, Found], bootstrap: float) -> tuple[float, dict[str, tuple[float, str]]]:
    """The worst of the medians of whole edits over Bootstrap, and every one of them with the engine's share."""
    others: dict[str, tuple[float, str]] = {}
    for name, found in states.items():
        for side, taken in (("added", found.added), ("removed", found.removed)):
            others[f"{side}-{name}"] = median(each.whole for each in taken) / bootstrap, "x"
    worst = max(value for value, _ in others.values())
    for name, found in states.items():
        engine = (median(each.engine for each in taken) / bootstrap for taken in (found.added, found.removed))
        others[f"engine-{name}"] = max(engine), "x"
        others[f"first-{name}"] = max(each.whole for each in found.first), "s"
    return worst, others
