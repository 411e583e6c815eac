"""`select`: turns the names that `--rules` gives into rules: names of shipped rule sets, and paths of rule files.

A shipped rule set has rules that are translated from the ontology, one for each axiom (docs/architecture/ontology.md),
and generic rules that run as they are. With `schema="data"` nothing is translated, and all generic rules of the rule
set run over the schema as plain facts. Rule files always run as they are.

Groups of rules that derive much and say little (reflexive sameAs, `owl:Thing` on everything, axiomatic triples) are off
by default. A name switches groups on by endings `+GROUP`: `owl2rl+eq-ref+thing`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from kgreason.errors import RuleError
from kgreason.functions.registry import Find, no_function
from kgreason.ontology.generic.parts import GenericRules, split
from kgreason.ontology.translate.translate import Profile
from kgreason.options import (
    ALIASES,
    DEFAULT_GROUPS,
    EL,
    HAS_SELF,
    LETTER,
    SPELLINGS,
    SameAsMode,
    SchemaMode,
    check_names,
)
from kgreason.rules.model import DATA, Rule, place_of
from kgreason.rules.parser import rules_of_file, ruleset
from kgreason.rules.program import Finder, check_sizes
from kgreason.rules.relations.names import INNER, checked_name
from kgreason.rules.safety import DATA_IN_HEAD
from kgreason.shapes.vocabulary import check_heads

_LINKS = frozenset(["eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o"])
"""The rules of owl2rl that links.dl replaces."""
_FOLLOWED = _LINKS | {"eq-sym"}
"""The rules of owl2rl that representatives.dl replaces."""

_OF_RESTRICTIONS = frozenset(["scm-hv", "scm-svf1", "scm-svf2", "scm-avf1", "scm-avf2"])
"""The rules of owl2rl that twins.dl replaces, unless `scm-reflexive` is on."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The rules of a graph, as its options select them.

    - `profiles`: the rule sets that translate axioms.
    - `generic`, `own`: the generic rules of the rule sets, and the user's rules.
    - `equality`: the rules of representatives.dl; empty if equal terms have no representatives.
    - `aliases`: the budget of a clique (`cliques`); 0 unless the option `same_as` is "aliases".
    - `datatypes`: the rules that read the values of literals (datatypes.dl); empty without owl2rl.
    - `is_literal`: True if links between literals of different values make them equal, as the W3C tables say.
    - `is_single`: True if users see one spelling of a value for each subject and property (`literals.visible_triples`).
    - `el`: the rules of owl2el.dl; empty unless the rule set owl2el is selected.
    - `without_twins`: the rules of owl2rl that twins.dl replaces. They run beside it if rules derive parts of
      restrictions.
    """

    names: tuple[str, ...]
    profiles: tuple[Profile, ...]
    generic: GenericRules
    own: tuple[Rule, ...]
    schema: SchemaMode
    equality: tuple[Rule, ...] = ()
    aliases: int = 0
    datatypes: tuple[Rule, ...] = ()
    is_literal: bool = False
    is_single: bool = False
    without_twins: tuple[Rule, ...] = ()
    el: tuple[Rule, ...] = ()

    @property
    def is_reflexive(self) -> bool:
        """Whether the graph has `x owl:sameAs x` for every term x."""
        return any(rule.group == "eq-ref" for rule in self.generic.free)


def select(
    names: Sequence[str],
    schema: SchemaMode = "axioms",
    same_as: SameAsMode = "aliases",
    aliases: int = ALIASES,
    functions: Find | None = no_function,
    find: Finder | None = None,
) -> Selection:
    """Return the `Selection` for `names`: names of rule sets, and paths of rule files.

    The rule sets are rdfs, rhodf, owl2rl, owl2el and none; `rdfs+axiomatic` also switches on the group `axiomatic`.
    `functions` finds the Python functions that rule files call; with None, every call is accepted. `find` finds the
    documents that rule files in SPARQL-RL import. The other parameters are options of the graph (`options`).

    Raises InputError for a file that cannot be read, and RuleSyntaxError for a file that does not parse. Raises
    RuleError for a name that is neither a rule set nor a rule file, and for a group that the rule set does not have.
    """
    profiles: list[Profile] = []
    generic: list[Rule] = []
    own: list[Rule] = []
    el: list[Rule] = []
    for name in dict.fromkeys(names):
        profile, *groups = name.split("+")
        if profile == EL:
            el += ruleset(EL).select(*DEFAULT_GROUPS[EL], *groups).rules
        elif profile in DEFAULT_GROUPS:
            profiles.append(cast(Profile, profile))
            generic += ruleset(profile).select(*DEFAULT_GROUPS[profile], *groups).rules
        elif name != "none":
            own += _rules_of(name, functions, find)
    loud: tuple[Rule, ...] = ()
    if "owl2rl" in profiles and not any(rule.group == "scm-reflexive" for rule in generic):
        generic, loud = _with_rules_of_twins(generic)
    groups_on = {rule.group for rule in generic}
    translating = dict.fromkeys(_profile_with_rows(profile, groups_on) for profile in profiles)
    selected = Selection(
        tuple(dict.fromkeys(names)), tuple(translating), split(generic), tuple(own), schema, without_twins=loud
    )
    selected = replace(selected, el=tuple(dict.fromkeys(el)))
    if "owl2rl" not in profiles:
        return selected
    is_literal, is_single = LETTER in groups_on, not groups_on & {LETTER, SPELLINGS}
    generic = [rule for rule in generic if rule.group != SPELLINGS]
    selected = replace(selected, generic=split(generic), datatypes=ruleset("datatypes").rules)
    selected = replace(selected, is_literal=is_literal, is_single=is_single)
    if same_as == "rules":
        return replace(selected, generic=split(_linking_rules(generic, is_literal=is_literal)))
    kept = (rule for rule in generic if rule.name not in _FOLLOWED)
    budget = aliases if same_as == "aliases" else 0
    return replace(selected, generic=split(kept), equality=ruleset("representatives").rules, aliases=budget)


def _profile_with_rows(profile: Profile, groups_on: Collection[str]) -> Profile:
    """Return the profile that translates axioms for a rule set, of which the groups `groups_on` are on."""
    return "owl2rl+has-self" if profile == "owl2rl" and HAS_SELF in groups_on else profile


def _linking_rules(rules: Iterable[Rule], *, is_literal: bool) -> Iterator[Rule]:
    """Yield the generic rules of a graph without representatives. `rules` are the generic rules of the rule sets.

    If `is_literal`, the rules of the W3C tables for owl:sameAs are kept. Otherwise the rules of links.dl replace those
    that apply links to other triples; links between literals of different values have no effect then.
    """
    yield from (rule for rule in rules if rule.group != LETTER and (is_literal or rule.name not in _LINKS))
    if not is_literal:
        yield from ruleset("links").rules


def _with_rules_of_twins(rules: list[Rule]) -> tuple[list[Rule], tuple[Rule, ...]]:
    """Replace those of `rules` that compare two restrictions (`_OF_RESTRICTIONS`) by the rules of twins.dl.

    Returns the new list, and the rules of owl2rl that twins.dl stands for: those of `_OF_RESTRICTIONS`, and the
    group `scm-reflexive`.
    """
    plain = [rule for rule in ruleset("owl2rl").rules if rule.name in _OF_RESTRICTIONS or rule.group == "scm-reflexive"]
    kept = [rule for rule in rules if rule.name not in _OF_RESTRICTIONS]
    return [*kept, *ruleset("twins").rules], tuple(plain)


def reselect(
    names: Sequence[str], own: tuple[Rule, ...], schema: SchemaMode, same_as: SameAsMode, aliases: int
) -> Selection:
    """Return the selection of a store that is opened again.

    Rule files are not read: `own` has the rules that they held when the store was made.
    """
    shipped = select([name for name in names if name.split("+")[0] in DEFAULT_GROUPS], schema, same_as, aliases)
    return replace(shipped, names=tuple(names), own=own)


def check_user_rules(rules: Iterable[Rule]) -> None:
    """Raise RuleError for a user's rule that is too long, uses a relation of kgreason itself, or has DATA in its head.

    Raise RuleError, too, if the rule derives facts that only the shapes graph derives. Whether rules fit the
    declarations of relations is checked by the parser, and by a transaction.
    """
    rules = tuple(rules)
    check_sizes(rules)
    check_heads(rules)
    for rule in rules:
        if rule.declares:
            checked_name(rule.declares.name)
        if any(head.relation == DATA for head in rule.heads):
            raise RuleError(f"{place_of(rule)}: {DATA_IN_HEAD}")
        for atom in rule.atoms():
            if atom.relation in INNER:
                raise RuleError(
                    f"{place_of(rule)}: {atom.relation} is a relation of kgreason itself; take another name"
                )


def _rules_of(name: str, functions: Find | None, find: Finder | None) -> tuple[Rule, ...]:
    check_names([name])
    rules = rules_of_file(name, functions, find)
    try:
        check_user_rules(rules)
    except RuleError as error:
        is_placed = str(error).startswith(f"{name}:")
        raise RuleError(str(error) if is_placed else f"{name}: {error}") from None
    return rules
