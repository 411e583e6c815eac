"""Find the generic rules that the data needs beside the translated rules, and the reason for each.

Translated rules are correct for the schema that they were made from. But a rule about data may derive a new schema
triple. Example: `ex:Path rdfs:subClassOf owl:TransitiveProperty` and `ex:road a ex:Path` make ex:road transitive. This
new axiom has no translated rules. Then generic rules have to run as well: the rules that read such a triple, and the
rules that read what these rules derive.

The analysis runs the generic rules over *patterns*: triples with variables in place of terms that only the data has.
The first patterns are the heads of rules about data, if these heads can be schema triples. A generic rule fires if one
of its premises unifies with a pattern, and each other premise unifies with a triple of the closed schema or with a
pattern; the atoms of its body that are no premises count as true. The heads of the rule become new patterns, except
heads that cannot be schema triples, are known already, or are in the body. So the analysis never misses a rule that is
needed (except for owl:sameAs, see `needed_generic_rules`). But it may name a rule that is not needed.

A pattern with a variable as its predicate can be any schema triple. Such a pattern ends the analysis, and all generic
rules are needed. But the pattern is ignored if no variable can become a *keyword*, that is, one of the predicates that
make a triple schema. This is so under three conditions: no triple of the data has a keyword as its subject or object,
no rule derives such a triple, and no rule reads such a triple of the schema.

The result and its reasons depend only on the set of rules and the set of schema triples.
Cost: a look at each head if no head can be a schema triple, as in most ontologies; otherwise a join over the schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from kgreason.ontology.generic.parts import GenericRules, feeders, is_premise, is_schema_pattern
from kgreason.ontology.read.axioms import COLLECTIONS
from kgreason.ontology.read.schema import SCHEMA_PREDICATES
from kgreason.rules.model import FALSE, Atom, Constant, Rule, Term, Triple, Variable, triple
from kgreason.rules.patterns import (
    Binding,
    fresh_copy,
    generalises,
    pattern_text,
    substitute,
    unify,
    with_numbered_variables,
)
from kgreason.terms import vocabulary as v

KEYWORDS = SCHEMA_PREDICATES | {v.RDF_TYPE}
"""The predicates that make a triple schema."""

Key: TypeAlias = tuple[Constant | None, Constant | None, Constant | None]


def needed_generic_rules(
    rules: Iterable[Rule],
    generic: GenericRules,
    schema: Iterable[Triple],
    *,
    same_as: bool = False,
    reified: bool = True,
) -> dict[Rule, str]:
    """Return the rules of `generic.closing` and `generic.rows` that must run with the data. Mostly there are none.

    The result maps each rule to the reason.

    - `rules`: the translated rules and the user's own rules.
    - `schema`: the closed schema.
    - `same_as`: True if an owl:sameAs fact links a term of the schema, of `KEYWORDS` or of `SCHEMA_CLASSES` with a
      different term. Then all rules are needed, because any schema triple may be derived from such a link.
    - `reified`: False if no triple of the data has one of `KEYWORDS` as its subject or object. Then fewer rules may be
      needed.
    """
    readers, rules = (*generic.closing, *generic.rows), tuple(rules)
    if same_as:
        return dict.fromkeys(readers, "owl:sameAs links a term of the schema")
    free = [rule for rule in generic.free if not any(v.OWL_SAME_AS in atom.terms for atom in rule.body)]
    sources = [*sorted(filter(can_derive_schema, rules), key=_sort_key), *filter(can_derive_schema, free)]
    if not sources:
        return {}
    analysis = _Analysis(readers, schema)
    analysis.reified = reified or any(map(_reifies, (*rules, *free))) or analysis.may_read_keywords((*rules, *free))
    needed = analysis.needed_rules(sources)
    return feeders(readers, needed) | needed


def rules_reading_lists(
    forked: Collection[Constant], long: Collection[Constant], generic: GenericRules
) -> dict[Rule, str]:
    """Return the generic rules that must run because of forked or long lists, each with the reason.

    `forked` are the kinds of the axioms with a forked list (`read/lists.py`). `long` are the kinds of the axioms whose
    long lists generic rules read (`translate/lists.py`). A rule must run if it reads axioms of one of these kinds, or
    walks along lists for such a rule. If `long` has swrl:Imp, SWRL rules read each owl:AllDifferent.
    """
    long = {*long, *((v.OWL_ALL_DIFFERENT,) if v.SWRL_IMP in long else ())}
    rows = {
        rule: "a list of the schema is long" for rule in rules_reading(long, generic) if rule.name not in _TRANSLATED
    }
    rows |= dict.fromkeys(rules_reading(forked, generic), "a list of the schema forks")
    others = frozenset(rules_reading(_LISTED, generic)).difference(rows)
    return {rule: why for rule, why in feeders(generic.rows, rows).items() if rule not in others} | rows


def rules_reading(kinds: Collection[Constant], generic: GenericRules) -> Iterator[Rule]:
    """Yield the rules of `generic.rows` that read axioms of one of these kinds."""
    wanted = frozenset(kinds)
    return (rule for rule in generic.rows if any(not wanted.isdisjoint(atom.terms) for atom in rule.body))


_LISTED = (*COLLECTIONS, v.OWL_ALL_DIFFERENT, v.OWL_ALL_DISJOINT_CLASSES, v.OWL_ALL_DISJOINT_PROPERTIES)
"""The terms that the rules for axioms with lists mention."""
_TRANSLATED = frozenset(["cax-adc-held", "prp-adp-holds"])
"""The rules about long lists that are translated: with constants, they do not look at each triple of the data."""


def can_derive_schema(rule: Rule) -> bool:
    """Whether a rule can derive a schema triple.

    Facts about lists that a translated rule derives do not count: the rules that read them are in force with it.
    """
    return any(head.relation is None and _may_be_schema(head) for head in rule.heads)


MOST_WORK = 500_000
"""So many comparisons of two atoms may one analysis make: about a second."""


class _TooMuchError(Exception):
    """Raised when an analysis makes more than `MOST_WORK` comparisons."""


class _Analysis:
    """The state of one analysis: the patterns found so far, and the rules found to be needed.

    `readers` are the generic rules that read schema. `schema` is the closed schema. Each pattern is joined with the
    schema and with all other patterns, so an analysis could take hours: all readers count as needed if it makes more
    than `MOST_WORK` comparisons. That is never wrong. A rule that is not needed costs its evaluation and derives
    nothing that the others do not.
    """

    def __init__(self, readers: tuple[Rule, ...], schema: Iterable[Triple]) -> None:
        self.readers = readers
        self.facts = _Facts(schema)
        self.reified = False
        self.patterns: dict[Atom, str] = {}
        self.needed: dict[Rule, str] = {}
        self._work = 0

    @cached_property
    def keyword_facts(self) -> list[Atom]:
        """The schema triples that have one of `KEYWORDS` as their subject or object."""
        return [triple(*fact) for fact in self.facts.all if not KEYWORDS.isdisjoint(fact[::2])]

    def may_read_keywords(self, sources: Iterable[Rule]) -> bool:
        """Whether one of the rules `sources`, or a generic rule that walks along lists, may read `keyword_facts`."""
        read = (atom for rule in sources for atom in rule.body)
        walks = (reader for reader in self.readers if reader.heads[0].relation is not None)
        walked = (atom for reader in walks for atom in reader.body if is_schema_pattern(atom))
        return any(map(self._exposes_keywords, chain(read, walked)))

    def _exposes_keywords(self, atom: Atom) -> bool:
        return any(unify(atom, fact, {}) is not None for fact in self.keyword_facts)

    def needed_rules(self, rules: list[Rule]) -> dict[Rule, str]:
        """Return the generic rules that are needed, each with the reason. `rules` are rules that can derive schema.

        The analysis starts again if it finds that a needed rule may read a triple with a keyword as subject or object.
        """
        before, self.patterns, self.needed = self.reified, {}, {}
        try:
            needed = self._spread(rules)
        except _TooMuchError:
            return dict.fromkeys(self.readers, "too many schema triples could be derived to look at each")
        return needed if self.reified == before else self.needed_rules(rules)

    def _spread(self, rules: list[Rule]) -> dict[Rule, str]:
        premises_of = [(reader, [atom for atom in reader.body if is_premise(atom)]) for reader in self.readers]
        for rule in rules:
            self._conclude(rule, {})
        waiting = list(self.patterns)
        for pattern in waiting:
            reason = f"{self.patterns[pattern]} can derive {pattern_text(pattern)}"
            if _is_any(pattern):
                return dict.fromkeys(self.readers, reason) | self.needed
            known = len(self.patterns)
            renamed = fresh_copy(pattern, 0)
            for reader, premises in premises_of:
                self._fire(reader, premises, renamed, reason)
            waiting += list(self.patterns)[known:]
        return self.needed

    def _fire(self, reader: Rule, premises: list[Atom], pattern: Atom, reason: str) -> None:
        """Run the generic rule `reader` over `pattern`, once for each of its `premises` that unifies with it.

        `pattern` and `reader` have no variable in common. If the rule derives something new, it counts as needed, for
        the reason `reason`.
        """
        for premise in premises:
            binding = unify(premise, pattern, {})
            if binding is not None:
                others = [atom for atom in premises if atom is not premise]
                for complete in self._extended_bindings(others, binding):
                    if self._conclude(reader, complete):
                        self.needed.setdefault(reader, reason)
                        data = (substitute(atom, complete) for atom in reader.body if not is_premise(atom))
                        self.reified = self.reified or any(
                            self._exposes_keywords(atom) for atom in data if not _is_any(atom)
                        )

    def _extended_bindings(self, premises: list[Atom], binding: Binding) -> Iterator[Binding]:
        """Yield every extension of `binding` under which each of `premises` is known.

        A triple pattern is known if it unifies with a triple of the closed schema or with a pattern of the analysis. An
        atom of a relation always counts as known.
        """
        if not premises:
            yield binding
            return
        first, *others = premises
        wanted = substitute(first, binding)
        if wanted.relation is not None:
            yield from self._extended_bindings(others, binding)
            return
        patterns = [fresh_copy(pattern, len(premises)) for pattern in self.patterns]
        self._count(len(patterns))
        for candidate in chain(self.facts.candidates(wanted), patterns):
            extended = unify(wanted, candidate, binding)
            if extended is not None:
                yield from self._extended_bindings(others, extended)

    def _conclude(self, rule: Rule, binding: Binding) -> bool:
        """Add the heads of a rule, under a binding, to the patterns if they are new and can be schema triples.

        Returns whether a head is new: neither a triple of the closed schema nor an atom of the rule's body.
        """
        body = {substitute(atom, binding) for atom in rule.body}
        heads = [substitute(head, binding) for head in rule.heads]
        news = [head for head in heads if head not in body and not self.facts.has(head)]
        self._count(len(news) * len(self.patterns))
        for pattern in map(with_numbered_variables, news):
            if self._may_be_schema(pattern) and not any(generalises(known, pattern) for known in self.patterns):
                self.patterns[pattern] = rule.name
        return bool(news)

    def _count(self, comparisons: int) -> None:
        self._work += comparisons
        if self._work > MOST_WORK:
            raise _TooMuchError

    def _may_be_schema(self, head: Atom) -> bool:
        """Whether a head can be a schema triple or a fact about an RDF list, for this schema and data."""
        return _may_be_schema(head) and (self.reified or not _is_any(head))


class _Facts:
    """The triples of the closed schema, with indexes by predicate, predicate and subject, predicate and object."""

    def __init__(self, schema: Iterable[Triple]) -> None:
        self.all = dict.fromkeys(sorted(set(schema)))
        self._found: dict[Key, list[Atom]] = defaultdict(list)
        for subject, predicate, object_ in self.all:
            fact = triple(subject, predicate, object_)
            for key in ((subject, predicate, None), (None, predicate, object_), (None, predicate, None)):
                self._found[key].append(fact)

    def has(self, atom: Atom) -> bool:
        return atom.relation is None and atom.terms in self.all

    def candidates(self, atom: Atom) -> list[Atom]:
        """Return the schema triples that may match an atom, which must have a constant predicate."""
        subject, predicate, object_ = (None if isinstance(term, Variable) else term for term in atom.terms)
        return self._found.get((subject, predicate, None if subject else object_), [])


def _may_be_schema(head: Atom) -> bool:
    """Whether a head can be a schema triple or a fact about an RDF list, whatever the schema and data are."""
    if head.relation is not None:
        return head != FALSE
    _, predicate, object_ = head.terms
    return is_premise(head) or _is_any(head) or (predicate == v.RDF_TYPE and isinstance(object_, Variable))


def _sort_key(rule: Rule) -> tuple[str, str]:
    """Return a sort key for rules that depends only on the name, heads and body of the rule."""
    return rule.name, f"{rule.heads} {rule.body}"


def _is_any(pattern: Atom) -> bool:
    """Whether a pattern is a triple with a variable as its predicate."""
    return pattern.relation is None and isinstance(pattern.terms[1], Variable)


def _reifies(rule: Rule) -> bool:
    """Whether a rule can derive a triple with one of `KEYWORDS` as its subject or object.

    This is so if the subject or object of a head is a keyword, or a variable that the body has only as a predicate.
    """
    bound = {term for atom in rule.body for term in _end_terms(atom)}
    return any(
        term not in bound if isinstance(term, Variable) else term in KEYWORDS
        for head in rule.heads
        for term in _end_terms(head)
    )


def _end_terms(atom: Atom) -> tuple[Term, ...]:
    """Return the subject and the object of a triple. For an atom of a relation, return all its terms."""
    return atom.terms if atom.relation is not None else atom.terms[::2]
