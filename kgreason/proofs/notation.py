"""Facts, axioms and rules as text: N-Triples terms, or prefixed names where prefixes are given.

Without prefixes, terms are written in N-Triples, and so a triple can be pasted into a command of kgreason. With
prefixes, terms are written as in rule files: short IRIs and numbers, and `a` for rdf:type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, Self

from kgreason.errors import InputTypeError
from kgreason.rules.expressions import expression_text, is_constant, is_skolem
from kgreason.rules.formatter import format_atom, format_call, format_computed, format_rule, format_term
from kgreason.rules.lowering import is_absence, is_aggregate_value, is_expression_result
from kgreason.rules.model import DATA, Atom, Rule, Term, Triple, triple
from kgreason.rules.parser import aggregate_and_value, expression_and_values, negation_of
from kgreason.terms.names import Names
from kgreason.terms.vocabulary import RDF_TYPE, SWRL_VARIABLE

NO_PREFIXES: Mapping[str, str] = MappingProxyType({})
_MOST_TRIPLES = 8
"""An axiom of more triples is shortened in a proof."""
_CONDITIONS = {
    "dt_value": "{0} and {1} have the same value",
    "dt_type": "the value of {0} is in {1}",
    "dt_differ": "{0} and {1} are literals with different values",
    "dt_not": "{0} is a literal that is not a value of {1}",
    "dt_ill": "{0} is a literal, and its text is not a value of its datatype",
    "dt_literal": "{0} is a literal with a value",
    "dt_used": "{0} is in a triple",
    "el_iri": "{0} is a name",
    "el_blank": "{0} is an expression",
    "el_is": "{0} is written like {1}",
    "el_class": "{0} is a class",
    "el_context": "the superclasses of {0} are wanted",
    "el_expression": "{0} is an expression",
    "el_asked": "what is below {0} is wanted",
    "el_live": "links by {0} may have consequences",
    "el_list": "the list at {0} is whole",
    "el_ends": "the list at {0} is whole",
    "el_nominal": "{0} is an individual",
}
"""The conditions of rules on terms (rulesets/datatypes.dl, owl2el.dl), in words: no fact of the graph says them."""


class Step(Protocol):
    """A proof, as the modules `text` and `mermaid` see it; `proof.Proof` is one."""

    @property
    def fact(self) -> Atom:
        """The fact that is proved."""

    @property
    def rule(self) -> Rule | None:
        """The rule that derives the fact; None for an asserted fact."""

    @property
    def premises(self) -> Sequence[Self]:
        """The proofs of the facts in the body of the rule."""

    @property
    def described(self) -> Sequence[Triple]:
        """The triples that say what blank nodes stand for."""

    @property
    def is_asserted(self) -> bool:
        """Whether no rule derives the fact: it is asserted, or is a hidden fact with an absence or a result."""

    def steps(self) -> Sequence[Self]:
        """List this proof and all proofs in it, each once. Proofs of premises come before the proof that uses them."""


def check_prefixes(prefixes: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the prefixes that a user passed; an empty dict for None. Raises InputTypeError if they are no mapping."""
    if prefixes is None:
        return NO_PREFIXES
    if not isinstance(prefixes, Mapping):
        raise InputTypeError(
            f"prefixes have to be a mapping like {{'ex': 'http://e/'}}; got {prefixes!r} ({type(prefixes).__name__})"
        )
    return prefixes


def term_text(term: Term, prefixes: Mapping[str, str]) -> str:
    """Return a term in N-Triples syntax, or as in a rule file if there are prefixes."""
    if isinstance(prefixes, Names) and isinstance(term, str) and (word := prefixes.word(term)) is not None:
        return word
    return format_term(term, prefixes) if prefixes else str(term)


def fact_text(fact: Atom, prefixes: Mapping[str, str]) -> str:
    """Return a fact as text: `s p o` for a triple (also one that a rule reads after DATA), or `relation(t, ...)`.

    A hidden fact is written as what it says:

    - that a negated pattern has no match: `no ` and the pattern
    - the value of an aggregate: `3 = COUNT(?y) over [:a, :p, ?y]`
    - that a FILTER is true: its expression, with values in place of variables
    - the result of a BIND: its expression, with values in place of variables, then ` = ` and the result
    - the result of a SKOLEM: the blank node, then ` = ` and the expression
    """
    if is_expression_result(fact):
        return _expression_text(fact, prefixes)
    if is_aggregate_value(fact):
        return _aggregate_text(fact, prefixes)
    if is_absence(fact):
        negated = negation_of(fact)
        parts = [format_atom(atom, prefixes) for atom in negated.atoms]
        parts += [format_computed(each, prefixes) for each in negated.computed]
        return f"no {parts[0]}" if len(parts) == 1 else f"no ({', '.join(parts)})"
    if fact.relation is None and isinstance(prefixes, Names) and len(fact.terms) == 3:
        subject, predicate, object_ = map(str, fact.terms)
        if (text := prefixes.statement((subject, predicate, object_))) is not None:
            return text
    terms = [term_text(term, prefixes) for term in fact.terms]
    if fact.relation not in (None, DATA):
        return f"{fact.relation}({', '.join(terms)})"
    if prefixes and fact.terms[1] == RDF_TYPE:
        terms[1] = "a"
    return " ".join(terms)


def _expression_text(fact: Atom, prefixes: Mapping[str, str]) -> str:
    expression, values = expression_and_values(fact)
    constants = {part: part for part in expression.parts if isinstance(part, str) and is_constant(part)}
    texts = {str(part): format_term(term, prefixes) for part, term in (*constants.items(), *values.items())}
    text = expression_text(expression, texts)
    if expression.result is None:
        return text
    result = texts[str(expression.result)]
    return f"{result} = {text}" if is_skolem(expression) else f"{text} = {result}"


def _aggregate_text(fact: Atom, prefixes: Mapping[str, str]) -> str:
    found, value = aggregate_and_value(fact)
    inner = [format_atom(atom, prefixes) for atom in found.atoms]
    inner += [format_computed(each, prefixes) for each in found.computed]
    return f"{format_term(value, prefixes)} = {format_call(found)} over {', '.join(inner)}"


def axioms_text(rule: Rule, prefixes: Mapping[str, str]) -> list[str]:
    """Return the triples that a rule was translated from, each as a text.

    If there are many triples, those about blank nodes are counted only: they are lists and expressions in the axiom.
    """
    sources = rule.sources
    if len(sources) > _MOST_TRIPLES:
        sources = tuple(each for each in sources if not each[0].startswith("_:") and each[2] != SWRL_VARIABLE)
        sources = sources or rule.sources[:1]
    texts = [fact_text(triple(*source), prefixes) for source in sources]
    if left := len(rule.sources) - len(sources):
        texts[-1] += f", and {left} more triples of its lists and expressions"
    return texts


def rule_text(rule: Rule, prefixes: Mapping[str, str]) -> str:
    """Return a rule on one line, without its name."""
    return " ".join(line.strip() for line in format_rule(rule, prefixes).split("\n"))


def is_hidden(atom: Atom) -> bool:
    """Whether an atom is a condition on terms, such as `dt_value(x, y)`; `conditions` puts such atoms into words."""
    return atom.relation in _CONDITIONS or (atom.relation or "").startswith("dt_")


def conditions(rule: Rule, prefixes: Mapping[str, str]) -> Iterator[str]:
    """Yield the conditions of a rule on terms, in words: a text for each body atom that `is_hidden`."""
    for atom in rule.body:
        if is_hidden(atom):
            terms = [term_text(term, prefixes) for term in atom.terms]
            yield _CONDITIONS.get(str(atom.relation), fact_text(atom, prefixes)).format(*terms)
