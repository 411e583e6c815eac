"""Translate one Datalog rule, or one query, to relational algebra.

`translate` follows Algorithms 1 to 5 of Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study of Datalog
Materialization*, step by step:

    product       of the relations of the body, in their order
    selection     column = constant for each constant; column = column for each further occurrence of a variable
    projection    on the terms of the head
    join          `joined` rewrites selections over products: a selection of one relation moves down to the relation,
                  a selection of two relations turns their product into a join

A rule with several heads is translated like one rule for each head. Law: for any views, a tree and its `joined` form
have the same rows, the heads that the rule derives. A product remains only between relations that no chain of equal
columns connects.
Cost: quadratic in the atoms of one rule, and independent of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from kgreason.engine.program.encoding import relation_text
from kgreason.rules.model import FALSE, Atom, Constant, Rule, Term, Variable, contradiction
from kgreason.rules.safety import check_positive, check_safe
from kgreason.spark.rule.algebra import (
    TRIPLES,
    Join,
    Product,
    Project,
    Relation,
    Select,
    Source,
    columns_of,
    product,
    width,
)

Equality: TypeAlias = tuple[int, int | Constant]


class _Part(NamedTuple):
    """A part of a tree. `classes` has a number for each column of the part.

    Columns with the same number must have equal values in each row of the whole tree.
    """

    tree: Source
    classes: tuple[int, ...]


def heads_of(rule: Rule) -> tuple[Atom, ...]:
    """Return the heads of a rule. A head `false` becomes the atom that the engine derives for a contradiction."""
    return tuple(contradiction(rule) if head == FALSE else head for head in rule.heads)


def view_of(atom: Atom) -> str:
    """Return the name of the view with the facts that may match an atom."""
    return TRIPLES if atom.relation is None else relation_text(atom.relation, len(atom.terms))


def translate(rule: Rule) -> tuple[Project, ...]:
    """Return a tree for each head of a rule: a projection of selections of a product.

    Raises UnsafeRuleError, and RuleError for a rule that has more than plain atoms.

    >>> from kgreason.rules.parser import parse
    >>> from kgreason.spark.rule.algebra import format_tree
    >>> (rule,) = parse("path(?x, ?z) :- edge(?x, ?y), edge(?y, ?z) .").rules
    >>> print(format_tree(translate(rule)[0]))
    project c0 = #0, c1 = #3
      select #1 = #2
        product
          edge/2
          edge/2
    >>> print(format_tree(joined(translate(rule)[0])))
    project c0 = #0, c1 = #3
      join #1 = #2
        edge/2
        edge/2
    """
    check_safe(rule)
    check_positive([rule], "a translation to SQL")
    return tuple(
        _projected(head.terms, rule.body, columns_of(view_of(head), len(head.terms))) for head in heads_of(rule)
    )


def translate_query(answers: Sequence[Variable], body: Sequence[Atom]) -> Project:
    """Return the tree of the query `body`, with a column for each variable of `answers`. Raises UnsafeRuleError."""
    terms = tuple(answers)
    check_safe(Rule((Atom("answer", terms),), tuple(body), "query"))
    return _projected(terms, tuple(body), tuple(variable.name for variable in answers))


def _projected(terms: tuple[Term, ...], body: tuple[Atom, ...], names: tuple[str, ...]) -> Project:
    source = product(tuple(Relation(view_of(atom), len(atom.terms)) for atom in body))
    places: dict[Variable, int] = {}
    for column, term in enumerate(term for atom in body for term in atom.terms):
        if not isinstance(term, Variable):
            source = Select(source, column, term)
        elif places.setdefault(term, column) != column:
            source = Select(source, places[term], column)
    return Project(source, tuple(places[term] if isinstance(term, Variable) else term for term in terms), names)


def joined(plan: Project) -> Project:
    """Return a tree with the same rows that has joins instead of selections over products.

    A selection on one relation is put directly above this relation; a selection on two relations becomes their join.
    The next relation to join is the first one that a selection connects to the relations before it. Groups of relations
    that no selection connects are combined by a product at the end.
    """
    relations, equalities = _flattened(plan.source)
    classes = _classes(sum(relation.arity for relation in relations), equalities)
    parts = _restricted(relations, equalities, classes)
    components: list[_Part] = []
    while parts:
        components.append(_grown(parts.pop(0), parts))
    order = [each for component in components for each in component.classes]
    columns = tuple(order.index(classes[value]) if isinstance(value, int) else value for value in plan.columns)
    return replace(plan, source=product(tuple(component.tree for component in components)), columns=columns)


def _flattened(source: Source) -> tuple[list[Relation], list[Equality]]:
    """Return the relations of a tree from left to right, and its selections and joins as equalities.

    An equality is (column, column or constant). Columns have their numbers in the product of all the relations.
    """
    match source:
        case Relation():
            return [source], []
        case Select():
            relations, equalities = _flattened(source.source)
            return relations, [*equalities, (source.left, source.right)]
        case Join():
            relations, equalities = _flattened(Product((source.left, source.right)))
            return relations, [*equalities, *source.pairs]
        case Product():
            return _side_by_side(source.parts)


def _side_by_side(parts: tuple[Source, ...]) -> tuple[list[Relation], list[Equality]]:
    relations: list[Relation] = []
    equalities: list[Equality] = []
    first = 0
    for part in parts:
        inner, selected = _flattened(part)
        relations += inner
        equalities += [(first + left, first + right if isinstance(right, int) else right) for left, right in selected]
        first += width(part)
    return relations, equalities


def _classes(columns: int, equalities: list[Equality]) -> list[int]:
    """Return, for each of the columns 0 to `columns` - 1, the first column that `equalities` make equal to it."""
    classes = list(range(columns))
    for left, right in equalities:
        if isinstance(right, int):
            low, high = sorted((classes[left], classes[right]))
            classes = [low if each == high else each for each in classes]
    return classes


def _restricted(relations: list[Relation], equalities: list[Equality], classes: list[int]) -> list[_Part]:
    """Return a part for each relation: the relation with the selections that concern this relation alone.

    These are selections by a constant, from `equalities`, and selections of two columns that must have the same value.
    `classes` has, for each column of the product, the first column that must have the same value.
    """
    parts: list[_Part] = []
    first = 0
    for relation in relations:
        columns = range(first, first + relation.arity)
        own = tuple(classes[column] for column in columns)
        tree: Source = relation
        for left, right in equalities:
            if isinstance(right, str) and left in columns:
                tree = Select(tree, left - first, right)
        for column, each in enumerate(own):
            if own.index(each) < column:
                tree = Select(tree, own.index(each), column)
        parts.append(_Part(tree, own))
        first += relation.arity
    return parts


def _grown(part: _Part, others: list[_Part]) -> _Part:
    """Return the join of `part` with each of `others` that is connected to it, directly or through other parts.

    Two parts are connected if a column of one must equal a column of the other. The joined parts are removed from the
    list `others`.
    """
    while True:
        near = next((other for other in others if not set(part.classes).isdisjoint(other.classes)), None)
        if near is None:
            return part
        others.remove(near)
        shared = [each for each in dict.fromkeys(near.classes) if each in part.classes]
        first = len(part.classes)
        pairs = tuple((part.classes.index(each), first + near.classes.index(each)) for each in shared)
        part = _Part(Join(part.tree, near.tree, pairs), part.classes + near.classes)
