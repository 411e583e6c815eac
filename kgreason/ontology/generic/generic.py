"""The generic rules of a rule set, divided into three parts by their role beside the translated rules.

A *premise* is a body atom that reads schema. There are three kinds: a triple pattern with a predicate of
`SCHEMA_PREDICATES`; a pattern `[?x, rdf:type, C]` with a class C of `SCHEMA_CLASSES`; and an atom of a relation by
which the rule sets walk along lists (any relation without the prefix `dt_`). The parts, by the atoms of the body:

    closing  only premises; a head is a schema triple scm-*, rdfs5, rdfs11, axiomatic triples: they close the schema
    rows     one premise or more                      prp-*, cls-*, cax-*, rdfs9: the translated rules replace them
    free     no premise                               eq-sym, eq-rep-*, cls-nothing2: they always run with the data

A rule is also a closing rule if it derives facts of a relation that closing rules read. Invariant: each given rule is
in exactly one part, and the rules of a part keep their order. Cost: linear in the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from kgreason.ontology.read.schema import SCHEMA_CLASSES, SCHEMA_PREDICATES
from kgreason.rules.model import Atom, Rule
from kgreason.terms.vocabulary import RDF_TYPE

_OF_TERMS = "dt_"
"""Relations with this prefix describe terms and are asserted from outside (datatypes.dl)."""


@dataclass(frozen=True, slots=True)
class Generic:
    """The rules of a rule set, in three parts; the docstring of the module defines them.

    - `closing`: the rules that derive schema triples from schema triples.
    - `rows`: the other rules that read schema.
    - `free`: the rules that read no schema.
    """

    closing: tuple[Rule, ...]
    rows: tuple[Rule, ...]
    free: tuple[Rule, ...]


def split(rules: Iterable[Rule]) -> Generic:
    """Divide the rules of a set into the parts of `Generic`. Pass only rules of groups that the user has selected."""
    return _split(tuple(rules))


@lru_cache(maxsize=64)
def _split(rules: tuple[Rule, ...]) -> Generic:
    """Do the work of `split`. The results are cached, because many graphs have the same rules."""
    closing = {rule for rule in rules if _closes(rule)}
    closing |= set(feeders(rules, closing))
    others = [rule for rule in rules if rule not in closing]
    return Generic(
        tuple(rule for rule in rules if rule in closing),
        tuple(rule for rule in others if any(map(is_premise, rule.body))),
        tuple(rule for rule in others if not any(map(is_premise, rule.body))),
    )


def feeders(rules: Iterable[Rule], readers: Iterable[Rule]) -> dict[Rule, str]:
    """Return those of `rules` that derive facts of a relation that one of `readers`, or a rule returned, reads.

    The result maps each rule to a reason in words: which rule reads which relation.
    """
    rules, waiting = tuple(rules), list(readers)
    deriving: dict[str, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        for relation in {head.relation for head in rule.heads if head.relation is not None}:
            deriving[relation].append(number)
    found: dict[Rule, str] = {}
    for reader in waiting:
        read = deriving.keys() & {atom.relation for atom in reader.body}
        for number in sorted({number for relation in read for number in deriving[relation]}):
            rule = rules[number]
            if rule not in found:
                found[rule] = f"{reader.name} reads {min(read & {head.relation for head in rule.heads})}"
                waiting.append(rule)
    return found


def is_premise(atom: Atom) -> bool:
    """Whether a body atom is a premise: it matches only schema triples, or facts by which rules walk along lists."""
    return is_walk(atom) or is_schema_pattern(atom)


def is_walk(atom: Atom) -> bool:
    """Whether an atom has a relation by which the rule sets walk along RDF lists."""
    return atom.relation is not None and not atom.relation.startswith(_OF_TERMS)


def is_schema_pattern(atom: Atom) -> bool:
    """Whether an atom is a triple pattern that matches no other triples than schema triples."""
    if atom.relation is not None:
        return False
    _, predicate, object_ = atom.terms
    return predicate in SCHEMA_PREDICATES or (predicate == RDF_TYPE and object_ in SCHEMA_CLASSES)


def _closes(rule: Rule) -> bool:
    return any(map(is_schema_pattern, rule.heads)) and all(map(is_premise, rule.body))
