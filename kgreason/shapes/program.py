"""`rules_of`: a shapes graph as rules. A validation result is a fact that they derive (`vocabulary`).

    triples -> shapes that count -> rules as text -> Rule

Law: the rules are a function of the triples, and those of a shape depend on this shape, its parents and the shapes that
it names alone. So a change of the shapes graph changes only rules of the shapes that it touches. A rule has the name of
its component, such as `sh-minCount`.

Cost: rules that differ only by their constants are parsed once; a shape takes some ten microseconds for each rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.rules.model import Atom, Computed, Rule, Term, Triple, Variable
from kgreason.rules.parser import parse
from kgreason.shapes.components import counts, expression, logical, pairs, sparql, values
from kgreason.shapes.focus import write_focus
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.inference.rules import ITERATED, inference_rules
from kgreason.shapes.paths import Paths
from kgreason.shapes.shape import Shape, shapes_of
from kgreason.shapes.vocabulary import SHAPE, SOURCE, declarations, sh
from kgreason.shapes.writer import Add, Writer

COMPONENTS: Mapping[str, Callable[[Writer, str], None]] = {
    "class": values.class_,
    "datatype": values.datatype,
    "nodeKind": values.node_kind,
    "minCount": counts.min_count,
    "maxCount": counts.max_count,
    "minExclusive": partial(values.comparison, "minExclusive"),
    "minInclusive": partial(values.comparison, "minInclusive"),
    "maxExclusive": partial(values.comparison, "maxExclusive"),
    "maxInclusive": partial(values.comparison, "maxInclusive"),
    "minLength": values.min_length,
    "maxLength": values.max_length,
    "pattern": values.pattern,
    "languageIn": values.language_in,
    "uniqueLang": counts.unique_lang,
    "equals": pairs.equals,
    "disjoint": pairs.disjoint,
    "lessThan": pairs.less_than,
    "lessThanOrEquals": pairs.less_than_or_equals,
    "not": logical.not_,
    "and": logical.and_,
    "or": logical.or_,
    "xone": logical.xone,
    "node": logical.node,
    "property": logical.property_,
    "qualifiedValueShape": counts.qualified,
    "closed": values.closed,
    "hasValue": values.has_value,
    "in": values.in_,
    "sparql": sparql.sparql,
    "expression": expression.expression,
}
"""The parameters of SHACL, with the function that writes their rules."""
_SINGLE = (
    *("datatype", "nodeKind", "minCount", "maxCount", "minExclusive", "minInclusive", "maxExclusive", "maxInclusive"),
    *("minLength", "maxLength", "pattern", "languageIn", "uniqueLang", "qualifiedValueShape", "closed", "in"),
)
"""The parameters that a shape can have once."""
_MOST_CHARACTERS = 500_000
"""The longest text of a rule: nothing can stop its parser."""
_SHORT = 1_000
"""So many characters has the text of a rule that is remembered, at most."""
_CONSTANT = re.compile(
    r'(?<!SKOLEM\()"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[\w-]+)?|<[^<>\s]*>(?!\()|_:[\w.-]*\w', re.DOTALL
)


def rules_of(triples: Iterable[Triple]) -> tuple[Rule, ...]:
    """Return the rules of a shapes graph, its triples given as N-Triples texts; none if it has no triples.

    Raises ShapesError, which names the shape, for a shapes graph that is not well-formed, and for what is not
    supported.
    """
    graph = ShapesGraph(triples)
    if not graph.triples:
        return ()
    try:
        return _rules(graph)
    except RecursionError:
        raise ShapesError("shapes or paths of the shapes graph are nested too deeply") from None


def facts_of(triples: Iterable[Triple]) -> tuple[Rule, ...]:
    """Return the triples of a shapes graph as rules without a body, for a closure without asserted shapes."""
    return tuple(Rule((Atom(SHAPE, triple),), (), "sh-shape", file=SOURCE) for triple in sorted(set(triples)))


def _rules(graph: ShapesGraph) -> tuple[Rule, ...]:
    found: dict[tuple[str, str], None] = {}

    def add(name: str, text: str) -> None:
        let_out()
        found[name, text] = None

    def conditions(asked: Iterable[str], paths: Paths, add: Add) -> None:
        _write(graph, shapes_of(graph, asked, reporting=False), paths, add)

    _write(graph, shapes_of(graph), Paths(add), add)
    rules = [_rule(name, text) for name, text in found]
    is_iterated = any(predicate == sh("entailment") and regime == ITERATED for _, predicate, regime in graph.triples)
    rules += inference_rules(graph, conditions, _rule, is_iterated=is_iterated)
    return (*declarations(rules), *rules)


def _write(graph: ShapesGraph, shapes: dict[str, Shape], paths: Paths, add: Add) -> None:
    """Add the rules of shapes."""
    says = {node: shape for node, shape in shapes.items() if not shape.is_deactivated}
    writers = {node: Writer(shape, graph, paths, add) for node, shape in says.items()}
    for writer in writers.values():
        let_out()
        write_focus(writer, writers)
        for name, write in COMPONENTS.items():
            if name in _SINGLE:
                graph.one(writer.node, name)
            for parameter in graph.objects(writer.node, sh(name)):
                write(writer, parameter)
        sparql.custom(writer)
        writer.finish()


def _rule(name: str, text: str) -> Rule:
    """Parse a rule: its constants are numbered, the text without them is parsed once, and they are put back."""
    let_out()
    if len(text) > _MOST_CHARACTERS:
        shape = _CONSTANT.search(text)
        what = "a value or a list is too long"
        raise ShapesError(
            f"{shape[0] if shape else name}: {what}: the rule {name} has more than {_MOST_CHARACTERS:,} characters"
        )
    return _read_rule(name, text) if len(text) > _SHORT else _cached_rule(name, text)


@lru_cache(4_096)
def _cached_rule(name: str, text: str) -> Rule:
    """Return a rule of a short text: an edit of a shapes graph leaves most of its rules as they were."""
    return _read_rule(name, text)


def _read_rule(name: str, text: str) -> Rule:
    numbers: dict[str, str] = {}
    form = _CONSTANT.sub(lambda found: numbers.setdefault(found[0], f"<urn:kgreason:{len(numbers)}>"), text)
    constants = {number: constant for constant, number in numbers.items()}
    return replace(_with_constants(_parse_form(form), constants), name=name, file=SOURCE)


@lru_cache(10_000)
def _parse_form(form: str) -> Rule:
    (rule,) = parse(form, SOURCE, None).rules
    return rule


def _with_constants(rule: Rule, constants: Mapping[str, str]) -> Rule:
    """Return a rule with other constants: `constants` maps each to the one that stands in its place."""

    def term(each: Term) -> Term:
        return each if isinstance(each, Variable) else constants.get(each, each)

    def atoms(each: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(Atom(atom.relation, tuple(map(term, atom.terms))) for atom in each)

    def computed(each: Iterable[Computed]) -> tuple[Computed, ...]:
        return tuple(one._replace(parts=tuple(map(term, one.parts))) for one in each)

    return replace(
        rule,
        heads=atoms(rule.heads),
        body=atoms(rule.body),
        computed=computed(rule.computed),
        negated=tuple(
            each._replace(atoms=atoms(each.atoms), computed=computed(each.computed)) for each in rule.negated
        ),
        aggregates=tuple(
            each._replace(atoms=atoms(each.atoms), computed=computed(each.computed)) for each in rule.aggregates
        ),
    )
