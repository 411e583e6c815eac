"""`fold`: a proof without the steps that only take lists and expressions apart.

    el_subs(:Finger, _:b1)                                  :Finger rdfs:subClassOf (:partOf some :Hand)
        by el-subs ... el_below(...)                            by el-apply
        by el-apply ... el_told(...)              ->            ...
        _:b1 owl:onProperty :partOf (asserted)

The name of a blank node says what these steps find out (`proofs/words/naming.py`). The relations of the rules of OWL 2
EL become triples where they state something of classes or properties. In the place of a step that is left out, the step
above has its premises, without those that are parts of an expression.

A restriction `r some f` may stand where EL's rules mean the filler of a link over r. There it becomes
`f and (inverse r some owl:Thing)`, which says the same. Where they mean the class of one individual, the individual
has a type in place of a class above it, and a link to it is `r value i`.

The work may be ended between two steps (`interrupts.let_out`).

Law: each asserted triple of the proof is shown, or is a part of an expression that is shown; nothing is shown that does
not follow. Cost: linear in the proof, besides the premises that move up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar, cast

from kgreason.interrupts import let_out
from kgreason.ontology.manchester import Manchester, about_of, is_blank, is_part
from kgreason.proofs.notation import Step
from kgreason.rules.model import Atom, Rule, Triple, triple
from kgreason.terms import vocabulary as v

Proof = TypeVar("Proof", bound=Step)
_CLASSES = frozenset({"el_subs", "el_below", "el_told", "el_axiom"})
_OF_CONTEXTS = frozenset({"el_subs", "el_below"})
"""Relations whose first place is a context: there a restriction stands for what fills it."""
_OF_CLASSES = (v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS, v.OWL_DISJOINT_WITH)
_BUILT_IN = tuple(f"<{namespace}" for namespace in (v.OWL, v.RDFS, v.RDF))
_OF_INDIVIDUALS = frozenset({v.OWL_THING, v.OWL_NAMED_INDIVIDUAL})
"""The built-in types that individuals have."""
_MADE = "_:el-"


def source_triples(proof: Step) -> list[Triple]:
    """Return the triples from which the expressions of a proof are read: those in it, and `described`."""
    found: dict[Triple, None] = dict.fromkeys(proof.described)
    for step in proof.steps():
        if step.rule is not None:
            found.update(dict.fromkeys(step.rule.sources))
        elif step.fact.relation is None and len(step.fact.terms) == 3:
            subject, predicate, object_ = map(str, step.fact.terms)
            found[subject, predicate, object_] = None
    return list(found)


def fold(proof: Proof) -> Proof:
    """Return a proof of the same fact without the steps that only take lists and expressions apart."""
    return _Folding(source_triples(proof)).fold(proof)


class _Folding:
    def __init__(self, triples: list[Triple]) -> None:
        self._about, self._individuals = about_of(triples), _individuals(triples)
        self._read = Manchester(self._about, str).readable(triples)
        self._made: dict[Triple, None] = dict.fromkeys(triples)
        self._nodes: dict[frozenset[tuple[str, str]], str] = {}
        self._first: dict[str, str] = {}
        self._restrictions: dict[str, tuple[str, str]] = {}
        for node in dict.fromkeys(subject for subject, *_ in triples if is_blank(subject)):
            said = [(verb, value) for verb, value in self._about(node) if verb != v.RDF_TYPE]
            parts = frozenset(each for each in said if is_part((node, *each)))
            self._first[node] = self._nodes.setdefault(parts, node) if parts else node
            if (restriction := _restriction(said)) is not None:
                self._restrictions[node] = restriction

    def fold(self, proof: Proof) -> Proof:
        shown: dict[Step, tuple[Step, ...]] = {}
        for step in proof.steps():
            let_out()
            premises = tuple(each for premise in step.premises for each in shown[premise])
            premises = tuple(dict.fromkeys(premises)) if _is_of_el(step.rule) else premises
            fact = self._fact(step.fact)
            says_the_same = _is_of_el(step.rule) and any(self._says_same(premise.fact, fact) for premise in premises)
            if fact is None or says_the_same or self._is_left_out(step, fact):
                shown[step] = premises
            else:
                shown[step] = (_step_with(step, fact=fact, rule=self._rule(step.rule), premises=premises),)
        found, fact = shown[proof], self._fact(proof.fact) or proof.fact
        if len(found) == 1 and found[0].fact == fact:
            return cast(Proof, _step_with(found[0], described=tuple(self._made)))
        return _step_with(
            proof, rule=self._rule(proof.rule), premises=found if proof.rule else (), described=tuple(self._made)
        )

    def _says_same(self, fact: Atom, other: Atom | None) -> bool:
        """Whether two facts say the same; two blank nodes with the same triples do."""
        if fact == other or other is None or fact.relation is not None or other.relation is not None:
            return fact == other
        pairs = zip(map(str, fact.terms), map(str, other.terms), strict=True)
        return all(self._first.get(one, one) == self._first.get(two, two) for one, two in pairs)

    def _is_left_out(self, step: Step, fact: Atom) -> bool:
        if step.fact.relation is not None:
            return fact != step.fact and fact.terms[0] == fact.terms[2]
        return step.rule is None and len(fact.terms) == 3 and self._is_in_expression(fact.terms)

    def _is_in_expression(self, terms: Iterable[object]) -> bool:
        """Whether a triple is a part of an expression that can be read."""
        subject, predicate, object_ = map(str, terms)
        return subject in self._read and is_part((subject, predicate, object_))

    def _rule(self, rule: Rule | None) -> Rule | None:
        """Return a rule as it is shown: without the parts of expressions, and only by its name if it is one of EL's."""
        if rule is None:
            return None
        sources = tuple(source for source in rule.sources if not self._is_in_expression(source))
        return Rule((), (), rule.name, rule.group, sources) if _is_of_el(rule) else replace(rule, sources=sources)

    def _fact(self, fact: Atom) -> Atom | None:
        """Return a fact as it is shown; None if a relation of EL's rules states it for these rules only."""
        relation = fact.relation or ""
        if not relation.startswith("el_"):
            return fact
        terms = [str(term) for term in fact.terms]
        if relation in _CLASSES and len(terms) == 2:
            return self._triple_below(terms[0], terms[1], is_context=relation in _OF_CONTEXTS)
        if relation == "el_sub" and len(terms) == 2:
            return triple(terms[0], v.RDFS_SUB_PROPERTY_OF, terms[1])
        if relation == "el_link" and len(terms) == 3:
            if self._individuals.issuperset((terms[0], terms[2])):
                return triple(*terms)
            node = self._link(terms[1], terms[2])
            return None if node is None else self._triple_below(terms[0], node)
        if relation == "el_loop" and len(terms) == 2:
            true = f'"true"^^{v.XSD_BOOLEAN}'
            return self._triple_below(terms[0], self._node((v.OWL_ON_PROPERTY, terms[1]), (v.OWL_HAS_SELF, true)))
        return None

    def _triple_below(self, context: str, above: str, *, is_context: bool = True) -> Atom | None:
        """Return the triple that says that a context, or a class, is below a class; None if its node says nothing."""
        if context in self._individuals:
            return triple(context, v.OWL_SAME_AS if above in self._individuals else v.RDF_TYPE, above)
        subject = self._filler(context) if is_context else context
        if above in self._individuals:
            members = self._node((v.RDF_FIRST, above), (v.RDF_REST, v.RDF_NIL))
            above = self._node((v.OWL_ONE_OF, members))
        return None if subject is None else triple(subject, v.RDFS_SUB_CLASS_OF, above)

    def _link(self, role: str, context: str) -> str | None:
        """Return the expression `role some context`, or `role value context` for an individual."""
        if context in self._individuals:
            return self._node((v.OWL_ON_PROPERTY, role), (v.OWL_HAS_VALUE, context))
        said = self._restrictions.get(context)
        if said is not None and said[0] == role:
            return context
        filler = self._filler(context)
        return filler and self._node((v.OWL_ON_PROPERTY, role), (v.OWL_SOME_VALUES_FROM, filler))

    def _filler(self, context: str) -> str | None:
        """Return the class that a context stands for; None if its node says nothing."""
        if not is_blank(context):
            return context
        if (said := self._restrictions.get(context)) is None:
            return None
        inverse = self._node((v.OWL_INVERSE_OF, said[0]))
        of_some = self._node((v.OWL_ON_PROPERTY, inverse), (v.OWL_SOME_VALUES_FROM, v.OWL_THING))
        last = self._node((v.RDF_FIRST, of_some), (v.RDF_REST, v.RDF_NIL))
        return self._node((v.OWL_INTERSECTION_OF, self._node((v.RDF_FIRST, said[1]), (v.RDF_REST, last))))

    def _node(self, *said: tuple[str, str]) -> str:
        """Return the blank node that says this and no more: one of the graph, else a made one. Equal ones are one."""
        if (known := self._nodes.get(frozenset(said))) is not None:
            return known
        node = f"{_MADE}{'-'.join(term for pair in said for term in pair)}"
        self._made.update(dict.fromkeys((node, *pair) for pair in said))
        return node


def _individuals(triples: Iterable[Triple]) -> frozenset[str]:
    """Return the individuals, and literals, that triples use as such: EL's rules may use one as a context.

    A name that is used for a class as well is none: a proof cannot say which of the two it means.
    """
    found, classes, lists, cells = set[str](), set[str](), set[str](), dict[str, dict[str, str]]()
    for subject, predicate, object_ in triples:
        if predicate == v.RDF_TYPE and (object_ in _OF_INDIVIDUALS or not object_.startswith(_BUILT_IN)):
            found.add(subject)
        elif predicate in _OF_CLASSES:
            classes.update((subject, object_))
        elif predicate == v.OWL_HAS_VALUE:
            found.add(object_)
        elif predicate in (v.OWL_SAME_AS, v.OWL_DIFFERENT_FROM):
            found.update((subject, object_))
        elif predicate == v.OWL_ONE_OF:
            lists.add(object_)
        elif predicate in (v.RDF_FIRST, v.RDF_REST):
            cells.setdefault(subject, {})[predicate] = object_
        elif not predicate.startswith(_BUILT_IN) and not is_part((subject, predicate, object_)):
            found.update((subject, object_))
    while lists:
        cell = cells.pop(lists.pop(), None)  # each cell once: lists may share cells, or be rings
        if cell is not None and v.RDF_FIRST in cell and v.RDF_REST in cell:
            found.add(cell[v.RDF_FIRST])
            lists.add(cell[v.RDF_REST])
    return frozenset(found - classes)


def _restriction(said: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the property and the filler, if a node says an existential restriction."""
    said = tuple(said)
    roles, fillers = (
        [object_ for predicate, object_ in said if predicate == wanted]
        for wanted in (v.OWL_ON_PROPERTY, v.OWL_SOME_VALUES_FROM)
    )
    return (roles[0], fillers[0]) if len(roles) == len(fillers) == 1 else None


def _is_of_el(rule: Rule | None) -> bool:
    """Whether a rule reads or derives facts of the relations of EL's rules."""
    return rule is not None and any((atom.relation or "").startswith("el_") for atom in (*rule.heads, *rule.body))


def _step_with(step: Proof, **fields: Any) -> Proof:
    """Return a step with other values of some fields. Steps are dataclasses."""
    return cast(Proof, replace(cast(Any, step), **fields))
