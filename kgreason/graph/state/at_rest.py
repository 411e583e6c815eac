"""`AtRest`: the graph without its engine. Snapshot and manifest answer, as long as they have the last commit.

    facts, rules, costs, contradictions, relations    the snapshot, if no commit came after it
    stats, warnings, streams                          the manifest, if the store has the last commit
    own_rules                                         snapshot and journal
    prefixes                                          manifest and journal

Otherwise the engine is started, and answers. Cost: nothing here imports the engine or Numba.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from kgreason.graph.state.state import State
from kgreason.materialize.state import SavedState
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import contradictions
from kgreason.rules.model import Rule
from kgreason.rules.program import Finder
from kgreason.sparql.query.numbers import WARNING
from kgreason.store import snapshot
from kgreason.store.homes.home import Home
from kgreason.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from kgreason.materialize.relations.reading import RelationReader

Result = TypeVar("Result")


class AtRest:
    """The graph at `home`. `start` starts its engine, and returns the state of the engine.

    `find` finds the documents that rule files import. If `lacking` is not empty, Python functions that rules call are
    missing; then warnings never start the engine.
    """

    is_running = False

    def __init__(self, home: Home, start: Callable[[], State], find: Finder | None, lacking: Sequence[str]) -> None:
        self._home, self._start, self._find, self._lacking = home, start, find, lacking

    def _ask(self, of_engine: Callable[[State], Result], of_files: Callable[[], Result]) -> Result:
        """Ask the snapshot, or the engine if commits came after the snapshot."""
        return self._home.read_consistently(
            lambda: of_engine(self._start()) if self._home.position.is_ahead else of_files()
        )

    def _ask_manifest(self, of_engine: Callable[[State], Result], of_manifest: Callable[[], Result]) -> Result:
        """Ask the manifest, or the engine if the manifest is older than the last commit.

        A writer brings the manifest up to date when it opens the store.
        """
        home = self._home

        def asked() -> Result:
            is_old = home.last and home.position.is_behind and not home.is_writable
            return of_engine(self._start()) if is_old else of_manifest()

        return home.read_consistently(asked)

    def saved(self, *, is_borrowed: bool = False) -> tuple[SavedState, Dictionary] | None:  # noqa: ARG002
        """Read facts and dictionary of the snapshot."""
        return self._ask(lambda state: state.saved(), self._read)

    def _read(self) -> tuple[SavedState, Dictionary] | None:
        path = self._home.snapshot
        return (snapshot.read_state(path), snapshot.read_dictionary(path)) if path else None

    def own_rules(self) -> tuple[Rule, ...]:
        """Read the rules of the user in snapshot and journal."""
        from kgreason.graph.user_rules import own_rules

        home, find = self._home, self._find
        return home.read_consistently(
            lambda: own_rules(home.manifest, home.snapshot, home.records_since_snapshot(), find)
        )

    def rules(self) -> list[dict[str, Any]]:
        """Read the rules of the snapshot."""
        return self._ask(lambda state: state.rules(), self._read_rules)

    def costs(self, *, alone: bool, anew: bool) -> list[dict[str, Any]]:
        """Read the costs in the snapshot; what the options ask for, only the engine can count."""
        if alone or anew:
            return self._start().costs(alone=alone, anew=anew)
        return self._ask(lambda state: state.costs(alone=False, anew=False), partial(self._read_rules, costs=True))

    def _read_rules(self, *, costs: bool = False) -> list[dict[str, Any]]:
        path = self._home.snapshot
        return snapshot.read_rules(path, costs=costs) if path else []

    def contradictions(self) -> list[Contradiction]:
        """Find the contradictions among the facts of the snapshot."""
        return self._ask(lambda state: state.contradictions(), self._find_contradictions)

    def _find_contradictions(self) -> list[Contradiction]:
        state = self._read()
        return contradictions(*state, partial(snapshot.false_rules, self._home.snapshot)) if state else []

    def relations(self, read: Callable[[RelationReader], Result]) -> Result | None:
        """Read facts of relations in the snapshot."""
        from kgreason.materialize.relations.reading import SavedRelations

        def read_snapshot() -> Result | None:
            state = self._read()
            return read(SavedRelations(*state)) if state else None

        return self._ask(lambda state: state.relations(read), read_snapshot)

    def stats(self) -> dict[str, Any]:
        """Return the counts in the manifest."""
        return self._ask_manifest(lambda state: state.stats(), lambda: self._home.manifest.stats)

    def warnings(self) -> list[str]:
        """Return the warnings in the manifest."""
        if self._lacking:
            return list(self._home.manifest.warnings)
        return self._ask_manifest(lambda state: state.warnings(), lambda: list(self._home.manifest.warnings))

    def streams(self) -> Mapping[str, dict[str, str]]:
        """Return the headers in the manifest."""
        return self._ask_manifest(lambda state: state.streams(), lambda: self._home.manifest.streams)

    def prefixes(self) -> Mapping[str, str]:
        """Read the prefixes in manifest and journal."""
        home = self._home
        found = home.read_consistently(
            lambda: [home.manifest.prefixes, *(record.prefixes for record in home.records_since_snapshot())]
        )
        return {prefix: namespace for each in reversed(found) for prefix, namespace in each.items()}

    def number_warning(self) -> str | None:
        """Return the warning in the manifest."""
        return next((each for each in self._home.manifest.warnings if each.startswith(WARNING)), None)

    def has_small_tags(self) -> bool:
        """Return what the manifest says, if it tells of the last commit."""
        manifest = self._home.settled_manifest
        return manifest is not None and manifest.small_tags
