"""Which rules a graph runs, how it reads its schema and shows equal terms: names that manifest and selection share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from kgreason.errors import InputError, RuleError

if TYPE_CHECKING:
    from kgreason.ontology.translate.translate import Profile

SameAsMode: TypeAlias = Literal["aliases", "representatives", "rules"]
"""What is shown of terms that owl:sameAs makes one: `aliases`, every triple with each of them, up to a budget of rows;
`representatives`, triples with one of them; `rules` is `aliases` by the plain rules of the W3C, without a budget."""
ALIASES = 1_000_000
"""So many rows may one clique stand for; past it, its representative alone is shown."""

SchemaMode: TypeAlias = Literal["axioms", "data"]
"""`axioms`: translated to rules; `data`: read by generic rules."""

LETTER = "eq-literals"
"""The group of owl2rl by which literals of different values are made equal, as the letter of the tables says."""

DEFAULT_GROUPS: dict[Profile, tuple[str, ...]] = {
    "rdfs": ("rdfs",),
    "rhodf": ("rhodf",),
    "owl2rl": ("list", "eq", "prp", "cls", "cax", "scm"),
}
"""The shipped rule sets, and the groups of each that are on unless asked otherwise."""


def check_names(rules: Iterable[str]) -> None:
    """Raises RuleError for a name that is neither that of a rule set, whatever groups it adds, nor a rule file's."""
    for name in rules:
        path, is_shipped = Path(name), name == "none" or name.split("+")[0] in DEFAULT_GROUPS
        if not name or not (is_shipped or path.exists() or path.suffix):
            raise RuleError(
                f"{name or repr(name)}: neither a rule set ({', '.join([*DEFAULT_GROUPS, 'none'])}) nor a rule file"
            )


def check_choice(option: str, value: object, choices: Any) -> None:
    """Raises InputError for a value that is none of these: the names of a `Literal`."""
    if value not in get_args(choices):
        raise InputError(f"{option} {value!r}: it has to be one of {', '.join(get_args(choices))}")


def check_count(option: str, value: object, least: int) -> None:
    """Raises InputError for what is no whole number, or too small a one."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{option} {value!r}: it has to be a whole number, at least {least}")


def check_wait(option: str, value: object) -> None:
    """Raises InputError for what is neither None (wait as long as it takes) nor a number of seconds."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and cast(float, value) >= 0):
        raise InputError(f"{option} {value!r}: it has to be a number of seconds, or None to wait as long as it takes")


def check_seconds(option: str, value: object) -> None:
    """Raises InputError for what is neither None nor a number of seconds above 0."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and cast(float, value) > 0):
        raise InputError(f"{option} {value!r}: it has to be a number of seconds above 0")
