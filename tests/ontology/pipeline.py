"""The way of a schema to rules, as the facade walks it, with the naive reasoner of the oracle in the engine's place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgreason.ontology.generic.needed_rules import KEYWORDS, needed_generic_rules
from kgreason.ontology.generic.parts import GenericRules, split
from kgreason.ontology.read.schema import SCHEMA_CLASSES, is_schema
from kgreason.ontology.translate.translate import LiveTranslation, Profile, translate
from kgreason.rules.model import FALSE, Rule, Triple
from kgreason.rules.parser import ruleset
from kgreason.terms.vocabulary import OWL_SAME_AS
from tests.oracle import datalog

QUIET: dict[Profile, tuple[str, ...]] = {
    "rhodf": ("rhodf",),
    "rdfs": ("rdfs",),
    "owl2rl": ("list", "eq", "prp", "cls", "cax", "scm"),
}
GENERIC: dict[Profile, GenericRules] = {
    name: split(ruleset(name).select(*groups).rules) for name, groups in QUIET.items()
}


@dataclass(frozen=True)
class Closure:
    """Everything that follows, and the rules that were needed."""

    triples: set[Triple]
    contradictions: set[frozenset[Triple]]
    translation: LiveTranslation
    needed: dict[Rule, str]


def materialize(graph: set[Triple], profile: Profile = "owl2rl") -> Closure:
    """Close the schema, translate it, and close the data with what it gave."""
    generic = GENERIC[profile]
    schema = triples(datalog.close(facts(filter(is_schema, graph)), generic.closing))
    translation = translate(schema, profile)
    reified = any(KEYWORDS & {s, o} for s, p, o in graph if not is_schema((s, p, o)))
    needed = needed_generic_rules(translation.rules, generic, schema, reified=reified)
    model = _closed(graph | schema, translation, generic, needed)
    if links_schema(triples(model), schema):
        needed = needed_generic_rules(translation.rules, generic, schema, same_as=True)
        model = _closed(graph | schema, translation, generic, needed)
    checks = [rule for rule in (*translation.rules, *generic.free) if rule.heads == (FALSE,)]
    return Closure(visible(triples(model)) | graph, violations(model, checks), translation, needed)


def _closed(
    graph: set[Triple], translation: LiveTranslation, generic: GenericRules, needed: Iterable[Rule]
) -> dict[datalog.Fact, int]:
    return datalog.close(facts(graph), (*translation.rules, *generic.free, *needed))


def links_schema(model: set[Triple], schema: set[Triple]) -> bool:
    """Whether an owl:sameAs between two terms mentions a term that schema is or can be made of."""
    terms = {term for triple in schema for term in triple} | KEYWORDS | SCHEMA_CLASSES
    links = [(s, o) for s, p, o in model if p == OWL_SAME_AS and s != o]
    return any(s in terms or o in terms for s, o in links)


def facts(graph: Iterable[Triple]) -> set[datalog.Fact]:
    return {(None, triple) for triple in graph}


def triples(model: Iterable[datalog.Fact]) -> set[Triple]:
    return {(s, p, o) for relation, (s, p, o) in (fact for fact in model if len(fact[1]) == 3) if relation is None}


def visible(model: set[Triple]) -> set[Triple]:
    """What the default settings show: no `x owl:sameAs x`."""
    return {(s, p, o) for s, p, o in model if p != OWL_SAME_AS or s != o}


def violations(model: Iterable[datalog.Fact], checks: Iterable[Rule]) -> set[frozenset[Triple]]:
    """The facts of every contradiction."""
    found = datalog.derivations(datalog.Index(model), datalog.rule_set(checks))
    return {frozenset(visible(triples(derivation.body))) for derivation in found}
