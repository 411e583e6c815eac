"""Which rules a graph runs, how it reads its schema and shows equal terms: names that manifest and selection share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgreason.errors import RuleError

if TYPE_CHECKING:
    from kgreason.ontology.translate import Profile

SameAsMode: TypeAlias = Literal["aliases", "representatives", "rules"]
"""What is shown of terms that owl:sameAs makes one: `aliases`, every triple with each of them, up to a budget of rows;
`representatives`, triples with one of them; `rules` is `aliases` by the plain rules of the W3C, without a budget."""
ALIASES = 1_000_000
"""So many rows may one clique stand for; past it, its representative alone is shown."""

SchemaMode: TypeAlias = Literal["axioms", "data"]
"""`axioms`: translated to rules; `data`: read by generic rules."""

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
        if not is_shipped and not path.exists() and not path.suffix:
            raise RuleError(f"{name}: neither a rule set ({', '.join([*DEFAULT_GROUPS, 'none'])}) nor a rule file")
