"""The program of a graph: which rules run over its facts, and why each of them does.

    closing rules      they close the schema; run over the data too, where what they derive is part of the graph
    translated rules   one for each axiom and row, with the schema triples that they come from
    free rules         generic rules that ask for no schema (eq-*)
    needed rules       generic rules that run as well once rules have derived schema triples of their own
    own rules          the user's

Invariant: the program is a function of the selection, the closed schema and two facts about the data, so that it is the
same after reopening. Cost: one translation of the schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgreason.graph.selection import Selection
from kgreason.ontology.needed import needed_generic
from kgreason.ontology.translate import translate
from kgreason.rules.canonical import canonical
from kgreason.rules.model import Rule, Triple

CLOSES = "closes the schema"
OWN = "a rule file"


@dataclass(frozen=True, slots=True)
class Program:
    """Rules in canonical form, each with the reason why it runs, and what the ontology could not say."""

    reasons: dict[Rule, str]
    warnings: tuple[str, ...]


def build(selection: Selection, schema: Iterable[Triple], *, same_as: bool, exceeded: bool) -> Program:
    """The program for a closed schema.

    `same_as`: a present owl:sameAs fact links a term of the schema; `exceeded`: a schema triple that is not in the
    closed schema is present. Either calls for generic rules beside the translated ones.
    """
    generic, triples = selection.generic, tuple(schema)
    reasons: dict[Rule, str] = dict.fromkeys(generic.closing, CLOSES)
    warnings: tuple[str, ...] = ()
    if selection.schema == "data":
        reasons |= dict.fromkeys((*generic.rows, *generic.free), "generic: the schema is read as data")
    else:
        translated: list[Rule] = []
        for profile in selection.profiles:
            translation = translate(triples, profile)
            translated += translation.rules
            warnings += translation.warnings
        reasons |= {rule: _origin(rule) for rule in translated}
        reasons |= dict.fromkeys(generic.free, "generic: it asks for no schema")
        if same_as or exceeded:
            needed = needed_generic([*translated, *selection.own], generic, triples, same_as=same_as)
            reasons |= {rule: reason for rule, reason in needed.items() if rule not in reasons}
    reasons |= dict.fromkeys(selection.own, OWN)
    return Program({canonical(rule): reason for rule, reason in reasons.items()}, tuple(dict.fromkeys(warnings)))


def _origin(rule: Rule) -> str:
    return " ".join(" ".join((*triple, ".")) for triple in rule.sources) or "translated"
