"""What `--rules` selects: shipped rule sets by name, rule files by path.

A shipped rule set has a part that is translated from the ontology (its rows, DESIGN.md 4) and generic rules that run as
they are. With `schema="data"` nothing is translated and all of its generic rules run over the schema as plain facts.
Rule files always run as they are.

Groups that only add noise (reflexive sameAs, `owl:Thing` on everything, axiomatic triples) are off by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kgreason.errors import RuleError
from kgreason.graph.modes import SchemaMode
from kgreason.ontology.generic import Generic, split
from kgreason.ontology.translate import Profile
from kgreason.rules.model import Rule
from kgreason.rules.parser import load, ruleset

DEFAULT_GROUPS: dict[Profile, tuple[str, ...]] = {
    "rdfs": ("rdfs",),
    "rhodf": ("rhodf",),
    "owl2rl": ("list", "eq", "prp", "cls", "cax", "scm"),
}
"""The groups of each shipped rule set that are on unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The profiles to translate, the generic rules of the rule sets and the user's own rules."""

    names: tuple[str, ...]
    profiles: tuple[Profile, ...]
    generic: Generic
    own: tuple[Rule, ...]
    schema: SchemaMode


def select(names: Sequence[str], schema: SchemaMode = "axioms") -> Selection:
    """The selection that these names (rdfs, rhodf, owl2rl, none) and rule files stand for.

    Raises InputError for a file that cannot be read, RuleSyntaxError for one that does not parse, RuleError for a name
    that is neither.
    """
    profiles: list[Profile] = []
    generic: list[Rule] = []
    own: list[Rule] = []
    for name in dict.fromkeys(names):
        if name in DEFAULT_GROUPS:
            profile: Profile = name
            profiles.append(profile)
            generic += ruleset(name).select(*DEFAULT_GROUPS[profile]).rules
        elif name != "none":
            own += _rules_of(name)
    return Selection(tuple(dict.fromkeys(names)), tuple(profiles), split(generic), tuple(own), schema)


def reselect(names: Sequence[str], own: tuple[Rule, ...], schema: SchemaMode) -> Selection:
    """The selection of a store: its rule files are not read again, `own` are the rules they held."""
    shipped = select([name for name in names if name in DEFAULT_GROUPS], schema)
    return replace(shipped, names=tuple(names), own=own)


def _rules_of(name: str) -> tuple[Rule, ...]:
    path = Path(name)
    if not path.exists() and not path.suffix:
        known = ", ".join([*DEFAULT_GROUPS, "none"])
        raise RuleError(f"{name}: neither a rule set ({known}) nor a rule file")
    return load(path).rules
