"""The options of a graph: its rules, how it reads its schema, and how it shows equal terms.

The manifest of a store, and the module `selection`, call the options by the same names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from math import inf
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from kgreason.errors import InputError, InputTypeError, LimitError, RuleError

SameAsMode: TypeAlias = Literal["aliases", "representatives", "rules"]
"""How the graph shows terms that owl:sameAs makes equal. `aliases`: every triple with each of the terms, up to a budget
of rows. `representatives`: triples with one of the terms. `rules`: as `aliases`, by the plain rules of the W3C, without
a budget."""
ALIASES = 1_000_000
"""The number of rows that one clique may stand for. A larger clique is shown by its representative alone."""

OnContradiction: TypeAlias = Literal["keep", "refuse"]
"""What becomes of a commit that raises a contradiction. `keep`: the commit stands, and the graph tells the
contradiction. `refuse`: the commit is rolled back, and the error names the contradiction."""

OnViolation: TypeAlias = Literal["report", "refuse", "refuse-warnings", "refuse-all"]
"""What becomes of a commit that makes validation results. `report`: the commit stands. `refuse`: the commit is rolled
back, unless the severity of all of them is sh:Warning or sh:Info. `refuse-warnings`: unless it is sh:Info."""

_BOUND = "does the recursion end? Bound it with FILTER, or pass a larger {}="
"""The advice when a recursion passes a limit. The place `{}` is for the name of the option that sets the limit."""


class Limits(NamedTuple):
    """What a recursion may do in one commit. Most recursions beyond these limits never end.

    - `rounds`: in how many rounds expressions may make new terms; a round computes from the results of the one before.
      Also in how many rounds a recursion through MIN or MAX may find new values.
    - `made_terms`: how many terms a recursion through BIND may make.
    """

    rounds: int = 10_000
    made_terms: int = 1_000_000

    def check(self, rule: Callable[[], str], *, rounds: int = 0, made_terms: int = 0) -> None:
        """Raise LimitError if a recursion through BIND is beyond a limit. `rule` gives the label of its rule."""
        if rounds > self.rounds:
            told, option = f"new terms from new terms {self.rounds:,} times", "most_rounds"
        elif made_terms > self.made_terms:
            told, option = f"more than {self.made_terms:,} terms by recursion", "most_made_terms"
        else:
            return
        raise LimitError(f"{rule()}: BIND has made {told} in one commit; {_BOUND.format(option)}")


DEFAULT_LIMITS = Limits()
NO_LIMITS = Limits(sys.maxsize, sys.maxsize)
"""For a commit that is replayed: it was within the limits of the graph that made it."""

SchemaMode: TypeAlias = Literal["axioms", "data"]
"""`axioms`: the schema is translated to rules. `data`: generic rules read the schema as facts."""

HistoryMode: TypeAlias = int | str
"""Which commits a graph keeps in its history: "all", "none", at least the last n, or those of the last days ("90d")."""

_DAYS = re.compile(r"[1-9][0-9]{0,5}d", re.ASCII)

LETTER = "eq-literals"
"""The group of owl2rl by which rules may make literals of different values equal, as the W3C's tables say."""

SPELLINGS = "eq-spellings"
"""The group of owl2rl by which users see each value in all spellings that the graph uses. Its rule never runs."""

EL = "owl2el"
"""The rule set of OWL 2 EL: all subsumptions of named classes that follow, and the types of individuals."""

HAS_SELF = "has-self"
"""The group of owl2rl that reads owl:hasSelf, which the W3C's tables do not."""

DEFAULT_GROUPS: dict[str, tuple[str, ...]] = {
    "rdfs": ("rdfs",),
    "rhodf": ("rhodf",),
    "owl2rl": ("list", "eq", "prp", "cls", "cax", "scm"),
    EL: ("el", "el-individuals", "el-property"),
}
"""The shipped rule sets, and the groups of each that are on by default."""


def check_names(rules: Iterable[str]) -> None:
    """Raises RuleError for a name that is neither a shipped rule set (with or without `+GROUP`) nor a rule file."""
    for name in rules:
        path, is_shipped = Path(name), name == "none" or name.split("+")[0] in DEFAULT_GROUPS
        if not name or not (is_shipped or path.exists() or path.suffix):
            raise RuleError(
                f"{name or repr(name)}: neither a rule set ({', '.join([*DEFAULT_GROUPS, 'none'])}) nor a rule file"
            )


def checked_limits(**values: int | None) -> Limits:
    """Return `Limits` with those values that are not None.

    Raises InputError for a value that is no whole number above 0.
    """
    for name, value in values.items():
        if value is not None:
            check_count(f"most_{name}", value, 1)
    return Limits()._replace(**{name: value for name, value in values.items() if value is not None})


def check_choice(option: str, value: object, choices: Any) -> None:
    """Raises InputError unless the value is among `choices`, a `typing.Literal` with the allowed values."""
    if value not in get_args(choices):
        raise _error_type(value, str)(f"{option} {value!r}: it must be one of {', '.join(get_args(choices))}")


def check_count(option: str, value: object, least: int) -> None:
    """Raises InputError unless the value is a whole number of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise _error_type(value, int)(f"{option} {value!r}: it must be a whole number, at least {least}")


def check_fraction(option: str, value: object) -> None:
    """Raises InputError unless the value is None or a number of at least 0."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 <= cast(float, value) < inf):
        raise _error_type(value, int, float)(f"{option} {value!r}: it must be a number, at least 0")


def check_history(value: object) -> None:
    """Raises InputError unless the value is "all", "none", a number of commits (at least 1), or days such as "90d"."""
    if value in ("all", "none") or (isinstance(value, str) and _DAYS.fullmatch(value)):
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _error_type(value, str, int)(
            f"history {value!r}: it must be all, none, or a number of commits, at least 1, or days, such as 90d"
        )


def days_of(history: HistoryMode) -> int | None:
    """Return the number of days in an option such as "90d", or None for other options.

    >>> days_of("90d"), days_of("all"), days_of(90)
    (90, None, None)
    """
    return int(history[:-1]) if isinstance(history, str) and _DAYS.fullmatch(history) else None


def check_seconds(option: str, value: object) -> None:
    """Raises InputError unless the value is None or a number of seconds above 0."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and cast(float, value) > 0):
        raise _error_type(value, int, float)(f"{option} {value!r}: it must be a number of seconds above 0")


def _error_type(value: object, *types: type) -> type[InputError]:
    """Return the error for a wrong value: InputTypeError if the value has none of `types`, otherwise InputError."""
    return InputError if isinstance(value, types) and not isinstance(value, bool) else InputTypeError
