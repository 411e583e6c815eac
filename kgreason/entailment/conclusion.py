"""Divide a conclusion into definitions, which are assumed, and parts, which are shown one by one.

    definitions   class expressions and inverse properties, each with the blank node that stands for it. Under direct
                  semantics every such expression exists. So the definitions are assumed, and their nodes become names
    parts         axioms, triples without blank nodes, and groups of triples that share blank nodes (as variables)

There are three readings of a conclusion:

    direct        OWL 2 Direct Semantics: as above. Declarations, ontology headers and annotations are left out, because
                  they mean nothing
    rdf-based     OWL 2 RDF-Based Semantics: nothing is left out, and no expression is assumed to exist. An axiom also
                  says that its names denote classes or properties (`kinds`)
    triples       RDF and RDFS: the conclusion is a set of triples without any further meaning

Invariant: every triple of the conclusion is in a part, is in the definitions, or means nothing. Cost: linear in the
conclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from hashlib import md5
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias, TypeGuard

from kgreason.entailment.claims import Claim, goal_of_claim, goal_of_triple
from kgreason.entailment.classes import Classes, Expression
from kgreason.entailment.expressions import Counted, Reflexive, restrictions
from kgreason.entailment.goals import Binding, Every, Exists, Goal
from kgreason.entailment.kinds import are_of_their_kinds
from kgreason.entailment.matching import components
from kgreason.ontology.read.axioms import Characteristic, Collection, NegativeAssertion, Pair, Restriction
from kgreason.ontology.read.schema import Schema
from kgreason.ontology.read.schema_axioms import collect
from kgreason.rules.model import Constant, Term, Triple, Variable, triple
from kgreason.terms import vocabulary as v

Said: TypeAlias = Claim | Restriction | Counted | Reflexive
Reading: TypeAlias = Literal["direct", "rdf-based", "triples"]
_DECLARED = frozenset(
    {
        v.OWL_CLASS,
        v.RDFS_CLASS,
        v.OWL_RESTRICTION,
        v.RDFS_DATATYPE,
        v.OWL_DATA_RANGE,
        v.RDF_LIST,
        v.RDF_PROPERTY,
        v.OWL_OBJECT_PROPERTY,
        v.OWL_DATATYPE_PROPERTY,
        v.OWL_ANNOTATION_PROPERTY,
        v.OWL_ONTOLOGY_PROPERTY,
        v.OWL_NAMED_INDIVIDUAL,
        v.OWL_DEPRECATED_CLASS,
        v.OWL_DEPRECATED_PROPERTY,
        v.OWL_NEGATIVE_PROPERTY_ASSERTION,
        v.OWL_ONTOLOGY,
        v.OWL_AXIOM,
        v.OWL_ANNOTATION,
    }
)
"""A triple `x rdf:type T`, with one of these types T, is a declaration: it tells how a name is used and states no fact
about the individual."""
_REMARKS = frozenset(
    {
        v.OWL_IMPORTS,
        v.OWL_VERSION_IRI,
        v.OWL_VERSION_INFO,
        v.OWL_PRIOR_VERSION,
        v.OWL_BACKWARD_COMPATIBLE_WITH,
        v.OWL_INCOMPATIBLE_WITH,
        v.OWL_ANNOTATED_SOURCE,
        v.OWL_ANNOTATED_PROPERTY,
        v.OWL_ANNOTATED_TARGET,
    }
)
"""These predicates are about the document. Any other triple about an ontology has to be shown, as for any
individual."""
_CLASSES = (v.OWL_INTERSECTION_OF, v.OWL_UNION_OF, v.OWL_ONE_OF)
_CONSTRUCTORS = (*_CLASSES, v.OWL_COMPLEMENT_OF, v.OWL_INVERSE_OF)
"""A blank node with one of these predicates is an expression: a class or a property."""
_ABOUT_NODE = (v.OWL_HAS_KEY, v.OWL_PROPERTY_CHAIN_AXIOM)
"""Predicates of lists that are axioms about their subject, such as owl:hasKey; other lists define their subject."""


class Part(NamedTuple):
    """A part of a conclusion: its triples, and the goal that must be met for them to be entailed."""

    triples: tuple[Triple, ...]
    goal: Goal


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A conclusion: the triples to assume first (`definitions`), and the parts to show after that."""

    definitions: tuple[Triple, ...]
    parts: tuple[Part, ...]


class PremiseTerms(NamedTuple):
    """What must be known of the premises to read a conclusion.

    `enumerations` maps a node to its enumerated class (owl:oneOf). `annotations` are the annotation properties.
    """

    enumerations: Mapping[Constant, Expression] = {}
    annotations: AbstractSet[Constant] = frozenset()


def conclusion_of(triples: Sequence[Triple], reading: Reading, known: PremiseTerms) -> Conclusion:
    """Divide the triples of a conclusion into definitions and parts.

    `reading` is one of the three readings that the docstring of the module explains; `known` is about the premises.
    """
    triples = tuple(dict.fromkeys(triples))
    said_of_schema = [] if reading == "triples" else _axioms(triples)
    axioms = list(chain.from_iterable(map(_axioms_apart, said_of_schema)) if reading == "direct" else said_of_schema)
    defined = _definitions(axioms) if reading == "direct" else {}
    expressions = {node: axiom for node, axiom in defined.items() if axiom.kind != v.OWL_INVERSE_OF}
    classes = Classes({**known.enumerations, **expressions})
    claims = [axiom for axiom in axioms if _is_claim(axiom, defined, reading)]
    said = {source for axiom in (*defined.values(), *claims) for source in axiom.sources}
    rest = [each for each in triples if each not in said]
    parts = [Part(axiom.sources, _goal_of(classes, axiom, reading)) for axiom in claims]
    parts += _parts_without_axioms(
        classes, list(_meaningful_triples(rest, known.annotations)) if reading == "direct" else rest, defined
    )
    return Conclusion(tuple(source for axiom in defined.values() for source in axiom.sources), tuple(parts))


def _axioms(triples: Sequence[Triple]) -> list[Said]:
    axioms = (axiom for each in collect(Schema(triples)) for axiom in each.axioms)
    read = (axiom for axiom in axioms if isinstance(axiom, Claim | Restriction) and axiom.kind != v.OWL_HAS_SELF)
    return [*read, *restrictions(triples)]  # `restrictions` has those of owl:hasSelf, as `Reflexive`


def _axioms_apart(axiom: Said) -> Iterator[Said]:
    """Yield an axiom unchanged, or two axioms in place of a class expression whose node is an IRI.

    A complement or an inverse (a `Pair`) stays as it is.

    Example: `ex:C owl:unionOf L` becomes `_:twin owl:unionOf L` and `ex:C owl:equivalentClass _:twin`.
    """
    if not _is_expression(axiom) or isinstance(axiom, Pair) or _is_blank(axiom.node):
        yield axiom
        return
    twin = f"_:twin{md5(repr(axiom.sources).encode()).hexdigest()}"
    sources = tuple((twin if source[0] == axiom.node else source[0], *source[1:]) for source in axiom.sources)
    yield replace(axiom, node=twin, sources=sources)
    yield Pair(v.OWL_EQUIVALENT_CLASS, axiom.node, twin, axiom.sources)


def _is_expression(axiom: Said) -> TypeGuard[Expression]:
    """Whether an axiom is a class expression or a property expression."""
    match axiom:
        case Restriction() | Counted() | Reflexive():
            return True
        case Collection(kind) | Pair(kind):
            return kind in _CONSTRUCTORS
        case _:
            return False


def _definitions(axioms: Iterable[Said]) -> dict[Constant, Expression]:
    """Return a dict from each blank node that stands for an expression to this expression.

    An expression with other blank nodes is included only if these nodes are in the dict, too. An expression with a list
    is left out if a cell of the list is an IRI: the premises may use the same list, and the triples of the conclusion
    would change it.
    """
    found: dict[Constant, list[Expression]] = {}
    for axiom in filter(_is_expression, axioms):
        node = axiom.left if isinstance(axiom, Pair) else axiom.node
        if _is_blank(node) and all(_is_blank(subject) for subject, _, _ in axiom.sources):
            found.setdefault(node, []).append(axiom)
    waiting = {node: expressions[0] for node, expressions in found.items() if len(expressions) == 1}
    defined: dict[Constant, Expression] = {}
    while ready := {node: each for node, each in waiting.items() if _is_named(_parts_of(each), defined)}:
        defined |= ready
        waiting = {node: each for node, each in waiting.items() if node not in ready}
    return defined


def _parts_of(axiom: Said) -> tuple[Constant, ...]:
    """Return the terms that an axiom mentions, without the node that stands for the axiom or the expression itself."""
    match axiom:
        case Pair(_, left, right):
            return (right,) if _is_expression(axiom) and _is_blank(left) else (left, right)
        case Characteristic(_, property_):
            return (property_,)
        case Collection(kind, node, members):
            return (node, *members) if kind in _ABOUT_NODE else members
        case Restriction(_, _, property_, filler):
            return (property_, filler)
        case Counted(_, _, property_, _, _, on_class):
            return (property_, on_class)
        case Reflexive(_, _, property_):
            return (property_,)
        case NegativeAssertion(_, _, denied):
            return denied


def _is_blank(term: Constant) -> bool:
    return term.startswith("_:")


def _is_named(terms: Iterable[Constant], defined: Mapping[Constant, Expression]) -> bool:
    return all(not _is_blank(term) or term in defined for term in terms)


def _is_claim(axiom: Said, defined: Mapping[Constant, Expression], reading: Reading) -> TypeGuard[Claim]:
    """Whether an axiom is shown as one part: it is no expression, and all its blank nodes are in `defined`.

    In the reading "rdf-based" only pairs and characteristics without blank nodes are shown so.
    """
    if reading == "direct":
        is_free = axiom.kind not in _CLASSES and axiom not in defined.values()
        return is_free and isinstance(axiom, Claim) and _is_named(_parts_of(axiom), defined)
    return isinstance(axiom, Pair | Characteristic) and _is_named(_parts_of(axiom), {})


def _goal_of(classes: Classes, axiom: Claim, reading: Reading) -> Goal:
    """Return the goal to show an axiom. With reading "rdf-based", its names must also denote classes or properties."""
    goal = goal_of_claim(classes, axiom)
    if reading == "rdf-based" and isinstance(axiom, Pair | Characteristic):
        return Every((are_of_their_kinds(axiom), goal))
    return goal


def _meaningful_triples(triples: Sequence[Triple], annotations: AbstractSet[Constant]) -> Iterator[Triple]:
    """Yield triples, without declarations, ontology headers, and triples with one of the properties `annotations`."""
    for each in triples:
        _, predicate, object_ = each
        is_declaration = predicate == v.RDF_TYPE and object_ in _DECLARED
        if not (is_declaration or predicate in _REMARKS or predicate in annotations):
            yield each


def _parts_without_axioms(
    classes: Classes, triples: Iterable[Triple], defined: Mapping[Constant, Expression]
) -> Iterator[Part]:
    """Divide triples that belong to no axiom into parts. Triples that share blank nodes are in one part.

    `defined` has the blank nodes that are names of expressions; such a node does not count as a blank node.
    """
    named = [(each, {term for term in each if _is_blank(term) and term not in defined}) for each in triples]
    yield from (Part((each,), goal_of_triple(classes, each)) for each, blanks in named if not blanks)
    for group in components((each, blanks) for each, blanks in named if blanks):
        yield Part(tuple(group), _existence_goal(classes, group, defined))


def _existence_goal(classes: Classes, group: Sequence[Triple], defined: Mapping[Constant, Expression]) -> Goal:
    """Return the goal to show that the triples of `group` hold for some individuals in place of their blank nodes.

    A triple `x rdf:type C` becomes a goal of its own if x is a blank node and C is owl:Thing or in `defined`. The other
    triples must be in the closure.
    """

    def is_shown(each: Triple) -> bool:
        return each[1] == v.RDF_TYPE and (each[2] == v.OWL_THING or each[2] in defined) and _is_blank(each[0])

    def term(text: Constant) -> Term:
        return Variable(text) if _is_blank(text) and text not in defined else text

    members = [(Variable(each[0]), each[2]) for each in group if is_shown(each)]
    patterns = [triple(*map(term, each)) for each in group if not is_shown(each)]
    bound = {variable for pattern in patterns for variable in pattern.variables()}
    patterns += [triple(each, Variable("predicate"), Variable("object")) for each, _ in members if each not in bound]

    def then(found: Binding) -> Goal:
        return Every(tuple(classes.member(found[each], class_) for each, class_ in members))

    return Exists(tuple(patterns), then)
