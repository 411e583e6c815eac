"""`State`: the graph after its last commit, as the graph's readers ask it; `AtRest` and `Running` are its two sides.

Threads: everything but `number_warning` and `has_small_tags` needs the graph's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kgreason.materialize.state import SavedState
from kgreason.proofs.contradiction import Contradiction
from kgreason.rules.model import Rule
from kgreason.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from kgreason.materialize.relations.reading import RelationReader

Result = TypeVar("Result")


class State(Protocol):
    """The graph after its last commit. Each method raises StoreError if the graph is closed."""

    @property
    def is_running(self) -> bool:
        """Whether the engine runs."""

    def saved(self, *, is_borrowed: bool = False) -> tuple[SavedState, Dictionary] | None:
        """Return the facts and the dictionary, or None before the first commit.

        With `is_borrowed` the result is valid while the lock of the graph is held.
        """

    def own_rules(self) -> tuple[Rule, ...]:
        """Return the rules that the user added."""

    def rules(self) -> list[dict[str, Any]]:
        """Return a dict for each rule in force."""

    def costs(self, *, alone: bool, anew: bool) -> list[dict[str, Any]]:
        """Return a dict for each rule in force, with its costs; see `KnowledgeGraph.rules`."""

    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions, in order."""

    def relations(self, read: Callable[[RelationReader], Result]) -> Result | None:
        """Return what `read` reads of the facts of relations; None before the first commit."""

    def stats(self) -> dict[str, Any]:
        """Return the counts of the graph by name, and the work of the last commit."""

    def warnings(self) -> list[str]:
        """Return one line for each warning."""

    def streams(self) -> Mapping[str, dict[str, str]]:
        """Return the headers of the last commit of each stream."""

    def prefixes(self) -> Mapping[str, str]:
        """Return the prefixes of loaded files, from prefix to namespace."""

    def number_warning(self) -> str | None:
        """Return the warning that the graph has a number too long for Oxigraph. Any thread may ask, without waiting."""

    def has_small_tags(self) -> bool:
        """Whether it is known that no language tag has a capital letter. Any thread may ask, without waiting.

        Read the store first: the answer holds for all that was read before.
        """
