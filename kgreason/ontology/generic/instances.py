"""`with_instances`: replaces generic rules by instances for the closed schema. Only the dependency graph uses them.

    [?x, ?q, ?y] :- [?p, rdfs:subPropertyOf, ?q], [?x, ?p, ?y]         the rule: it could derive any triple
    [?x, :knows, ?y] :- [?x, :likes, ?y]                               for :likes rdfs:subPropertyOf :knows

Without this, a rule that can derive every triple would close a cycle through every NOT (rules/strata.py has the
dependency graph). A rule that reads data may have a head that matches schema triples alone: for such a head there is
an instance too. It keeps the atom that reads the schema triple, and so depends on the rule with the head. There are no
instances for schema triples that are derived by rules with other heads, as `[?x, ?q, ?y]`. If such a triple closes a
cycle, the commit finds the cycle: a negation changes that was already decided.

Cost: for each generic rule with a variable as predicate or class of a head, its matches in the closed schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from kgreason.ontology.generic.generic import is_premise, is_schema_pattern
from kgreason.rules.model import Atom, Constant, Rule, Triple, Variable, triple
from kgreason.rules.patterns import Binding, fresh, substitute, unify
from kgreason.terms.vocabulary import RDF_TYPE

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
    for head in (head for rule in found if not _closes(rule) for head in rule.heads if is_schema_pattern(head)):
        derived[str(head.terms[1])].append(fresh(head, 0))
    parts = (
        _instances(rule, index, derived) if is_generic else (rule,)
        for rule, is_generic in zip(found, are_generic, strict=True)
    )
    return list(chain.from_iterable(parts))


@lru_cache(maxsize=1 << 14)
def _is_generic(rule: Rule) -> bool:
    """Whether a rule reads the schema and can match or derive triples with any predicate or of any class."""
    return any(map(is_schema_pattern, rule.body)) and any(map(_is_open, _others(rule)))


def _closes(rule: Rule) -> bool:
    """Whether all atoms in the body of a rule read the schema: the rule closes the schema, or walks along lists."""
    return all(map(is_premise, rule.body))


def _others(rule: Rule) -> Iterator[Atom]:
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
