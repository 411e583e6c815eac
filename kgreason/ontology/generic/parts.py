"""The generic rules of a rule set, divided into three parts by their role beside the translated rules.

A *premise* is a body atom that reads schema. There are three kinds: a triple pattern with a predicate of
`SCHEMA_PREDICATES`; a pattern `[?x, rdf:type, C]` with a class C of `SCHEMA_CLASSES`; and an atom of a relation by
which the rule sets walk along lists (any relation without the prefix `dt_`). The parts, by the atoms of the body:

    closing  only premises; a head is a schema triple scm-*, rdfs5, rdfs11, axiomatic triples: they close the schema
    rows     one premise or more                      prp-*, cls-*, cax-*, rdfs9: the translated rules replace them
    free     no premise                               eq-sym, eq-rep-*, cls-nothing2: they always run with the data

A rule is also a closing rule if it derives facts of a relation that closing rules read. Invariant: each given rule is
in exactly one part, and the rules of a part keep their order. Cost: linear in the rules.

`with_instances` replaces generic rules by instances for the closed schema. Only the dependency graph uses them.

    [?x, ?q, ?y] :- [?p, rdfs:subPropertyOf, ?q], [?x, ?p, ?y]         the rule: it could derive any triple
    [?x, :knows, ?y] :- [?x, :likes, ?y]                               for :likes rdfs:subPropertyOf :knows

Without this, a rule that can derive every triple would close a cycle through every NOT (rules/strata.py has the
dependency graph). A rule that reads data may have a head that matches schema triples alone: for such a head there is
an instance too. It keeps the atom that reads the schema triple, and so depends on the rule with the head. There are no
instances for schema triples that are derived by rules with other heads, as `[?x, ?q, ?y]`. If such a triple closes a
cycle, the commit finds the cycle: a negation changes that was already decided.

Cost of the instances: for each generic rule with a variable as predicate or class of a head, its matches in the closed
schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from kgreason.ontology.read.schema import SCHEMA_CLASSES, SCHEMA_PREDICATES
from kgreason.rules.model import Atom, Constant, Rule, Triple, Variable, triple
from kgreason.rules.patterns import Binding, fresh_copy, substitute, unify
from kgreason.terms.vocabulary import RDF_TYPE

_OF_TERMS = "dt_"
"""Relations with this prefix describe terms and are asserted from outside (datatypes.dl)."""


@dataclass(frozen=True, slots=True)
class GenericRules:
    """The rules of a rule set, in three parts; the docstring of the module defines them.

    - `closing`: the rules that derive schema triples from schema triples.
    - `rows`: the other rules that read schema.
    - `free`: the rules that read no schema.
    """

    closing: tuple[Rule, ...]
    rows: tuple[Rule, ...]
    free: tuple[Rule, ...]


def split(rules: Iterable[Rule]) -> GenericRules:
    """Divide the rules of a rule set into the parts of `GenericRules`. Pass only rules of selected groups."""
    return _split(tuple(rules))


@lru_cache(maxsize=64)
def _split(rules: tuple[Rule, ...]) -> GenericRules:
    """Do the work of `split`. The results are cached, because many graphs have the same rules."""
    closing = {rule for rule in rules if _is_closing(rule)}
    closing |= set(feeders(rules, closing))
    others = [rule for rule in rules if rule not in closing]
    return GenericRules(
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


def _is_closing(rule: Rule) -> bool:
    return any(map(is_schema_pattern, rule.heads)) and all(map(is_premise, rule.body))


_Index = Mapping[Constant, Sequence[Atom]]


def with_instances(rules: Iterable[Rule], schema: Iterable[Triple]) -> list[Rule]:
    """Return the rules; a generic rule is replaced by its instances for the triples of `schema`, the closed schema.

    In an instance, each atom that reads the schema is matched. If a triple of `schema` matches the atom, the instance
    lacks the atom. If a head of a rule that reads data matches the atom, the instance keeps the atom.
    """
    found = list(rules)
    are_generic = list(map(_is_generic, found))
    if not any(are_generic):
        return found
    index: defaultdict[Constant, list[Atom]] = defaultdict(list)
    derived: defaultdict[Constant, list[Atom]] = defaultdict(list)
    for terms in schema:
        index[terms[1]].append(triple(*terms))
    for head in (
        head for rule in found if not _reads_schema_alone(rule) for head in rule.heads if is_schema_pattern(head)
    ):
        derived[str(head.terms[1])].append(fresh_copy(head, 0))
    parts = (
        _instances(rule, index, derived) if is_generic else (rule,)
        for rule, is_generic in zip(found, are_generic, strict=True)
    )
    return list(chain.from_iterable(parts))


@lru_cache(maxsize=1 << 14)
def _is_generic(rule: Rule) -> bool:
    """Whether a rule reads the schema and can match or derive triples with any predicate or of any class."""
    return any(map(is_schema_pattern, rule.body)) and any(map(_is_open, _atoms_beside_schema(rule)))


def _reads_schema_alone(rule: Rule) -> bool:
    """Whether all atoms in the body of a rule read the schema: the rule closes the schema, or walks along lists."""
    return all(map(is_premise, rule.body))


def _atoms_beside_schema(rule: Rule) -> Iterator[Atom]:
    """Yield the heads of a rule, and its body atoms that do not read the schema."""
    yield from rule.heads
    yield from (atom for atom in rule.body if not is_schema_pattern(atom))


def _is_open(atom: Atom) -> bool:
    """Whether an atom has a variable as its predicate, or as the class in `?x rdf:type ?c`."""
    if atom.relation is not None:
        return False
    _, predicate, object_ = atom.terms
    return isinstance(predicate, Variable) or (predicate == RDF_TYPE and isinstance(object_, Variable))


def _instances(rule: Rule, index: _Index, derived: _Index) -> Iterable[Rule]:
    read = [atom for atom in rule.body if is_schema_pattern(atom)]
    left = tuple(atom for atom in rule.body if not is_schema_pattern(atom))
    ways: list[tuple[Binding, tuple[Atom, ...]]] = [({}, left)]
    for atom in read:
        predicate = str(atom.terms[1])
        found: list[tuple[Atom, tuple[Atom, ...]]] = [(fact, ()) for fact in index.get(predicate, ())]
        found += [(head, (atom,)) for head in derived.get(predicate, ())]
        ways = [
            (further, (*kept, *more))
            for binding, kept in ways
            for fact, more in found
            if (further := unify(substitute(atom, binding), fact, binding)) is not None
        ]
    return dict.fromkeys(
        replace(
            rule,
            heads=tuple(substitute(head, binding) for head in rule.heads),
            body=tuple(substitute(atom, binding) for atom in kept),
        )
        for binding, kept in ways
    )
