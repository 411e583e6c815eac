"""The options of `KnowledgeGraph.open`: those that a store keeps, and `EngineOptions`, which hold until `close`.

Law: a store with a commit keeps its options; another value is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from os.path import abspath
from types import NoneType
from typing import Any, Literal, NamedTuple

from kgreason.errors import InputTypeError, StoreError
from kgreason.functions.registry import Registry
from kgreason.options import (
    Limits,
    OnContradiction,
    OnViolation,
    SameAsMode,
    SchemaMode,
    check_choice,
    check_count,
    check_fraction,
    check_history,
    check_names,
    checked_limits,
)
from kgreason.rdf.catalogue import Catalogue
from kgreason.rules.expressions import RESERVED
from kgreason.rules.program import Finder
from kgreason.store.folder import FORMAT, Manifest

File = str | PathLike[str]
Strategy = Literal["auto", "update", "bootstrap"]
Documents = File | Catalogue | Mapping[str, File]
"""Where imported documents are: a catalogue, a path for `Catalogue.open`, or files by the IRIs that import them."""
MADE_WITH = ("rules", "schema", "same_as", "aliases", "on_contradiction", "on_violation")
"""The options of `KnowledgeGraph.open` that a store keeps."""
DEFAULT_RULES, NO_RULES = ("owl2rl",), ("none",)


class EngineOptions(NamedTuple):
    """The options that hold until the graph is closed; `KnowledgeGraph.open` explains them."""

    strategy: Strategy
    budget: int | None
    limits: Limits
    threads: int | None
    catalogue: Catalogue | None
    registry: Registry
    fraction: float | None = None
    late: bool = False

    @property
    def find(self) -> Finder | None:
        """The function that finds imported documents by their IRIs, or None."""
        return self.catalogue.find if self.catalogue else None

    @classmethod
    def of_arguments(
        cls,
        strategy: Strategy,
        budget: int | None,
        made_terms: int | None,
        rounds: int | None,
        threads: int | None,
        catalogue: Documents | None,
        functions: Iterable[Any],
        fraction: float | None = None,
        late: bool = False,
    ) -> EngineOptions:
        """Check the options that a user passes. Raises InputError."""
        check_choice("strategy", strategy, Strategy)
        for name, value in (("budget", budget), ("threads", threads)):
            if value is not None:
                check_count(name, value, 1)
        check_fraction("fraction", fraction)
        limits = checked_limits(rounds=rounds, made_terms=made_terms)
        registry = Registry(functions, RESERVED)
        return cls(strategy, budget, limits, threads, catalogue_of(catalogue), registry, fraction, late)


def catalogue_of(catalogue: Documents | None) -> Catalogue | None:
    """Return a catalogue as it is, and make a catalogue of a path or of a dict of files by IRI. None stays None.

    Raises InputError.
    """
    if isinstance(catalogue, Mapping):
        return Catalogue.of(catalogue)
    if not isinstance(catalogue, (str, PathLike, Catalogue, NoneType)):
        raise InputTypeError(
            "catalogue has to be a Catalogue, the path of a folder, an XML catalog or a map, or a dict of files by IRI;"
            f" got {catalogue!r} ({type(catalogue).__name__})"
        )
    return catalogue if catalogue is None or isinstance(catalogue, Catalogue) else Catalogue.open(catalogue)


def manifest_options(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `wanted` that are not None, as a `Manifest` has them. Raises InputError, RuleError.

    `wanted` are the options that a store keeps.
    """
    given = {name: value for name, value in wanted.items() if value is not None}
    if "rules" in given:
        given["rules"] = [str(fspath(name)) for name in given["rules"] or NO_RULES]
        check_names(given["rules"])
    choices_of = {"schema": SchemaMode, "same_as": SameAsMode}
    choices_of |= {"on_contradiction": OnContradiction, "on_violation": OnViolation}
    for name, choices in choices_of.items():
        if name in given:
            check_choice(name, given[name], choices)
    if "aliases" in given:
        check_count("aliases", given["aliases"], 0)
    if "history" in given:
        check_history(given["history"])
    return given


def manifest_of(made: Manifest | None, wanted: Mapping[str, Any]) -> Manifest:
    """Return the manifest that a store has from now on.

    `made` is its present manifest, None if it has none. `wanted` are options that were given now: until the store has a
    commit, they replace the options of `made`.
    """
    if made is not None and made.commit:
        return made
    return replace(made or Manifest(list(DEFAULT_RULES)), format=FORMAT, spellings="one", **wanted)


def with_absolute_files(names: Iterable[str]) -> list[str]:
    """Return names of rules with rule files by their absolute paths: a store may be opened from another folder."""
    from kgreason.graph.user_rules import files_of

    return [abspath(name) if files_of([name]) else name for name in names]


def check_options_unchanged(store: object, made: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise StoreError if an option in `wanted` differs from the option in `made`, with which the store was made.

    An option in `wanted` that is None was not given, and is not compared. `store` names the store in the message.
    """
    for option, value in wanted.items():
        kept, is_list = made[option], isinstance(made[option], list)
        if value is None or (with_absolute_files(value) == with_absolute_files(kept) if is_list else value == kept):
            continue
        if is_list:
            raise _other_rules_error(store, kept, value)
        raise StoreError(
            f"{store}: the store was made with {option} {kept}, which cannot be changed; leave {option}= out"
        )


def _other_rules_error(path: object, kept: Sequence[str], wanted: Sequence[str]) -> StoreError:
    """Make the error for a store that was made with the rules `kept` and is opened with the rules `wanted`."""
    from kgreason.graph.user_rules import files_of, how_to_add

    added = how_to_add([file for file in files_of(wanted) if file not in kept])
    made = f"{path}: the store was made with rules {' '.join(kept)}, and opening it does not change its rules"
    return StoreError(f"{made}; leave rules= out{added}")
