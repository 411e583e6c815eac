"""`Placement`: to which parts the facts of a program go. It is a function of the program.

    home         each fact has one home. There it is counted and written, and there its asserted flag is kept
    by a column  a fact that matches a pattern goes to the part of the value in a column of the pattern
    everywhere   a fact that matches a pattern goes to all parts

The home of a fact is the part of the value in a column, too: the first column by which one of its patterns is placed.
So most facts are in few parts. A fact without such a pattern has the part of its first term as its home.

Law: each local rule (`division`) finds all facts of each of its matches together in one part. Either all its spread
atoms are placed by one variable, or there is at most one of them, whose facts are at their homes at least. A rule
without a spread atom reads only what is everywhere. So it would derive the same in each part, and it runs in the
first part alone (`first`).

An *operator* (NOT, an expression or an aggregate) is decided for a key: the values of the variables of NOT, the inputs
of an expression, the group of an aggregate. All that it reads and asserts about one key is placed by one variable of
the key, so one part has it all. If a key has no variables, all of it is together in the first part.

Where a star has several common variables, the placement takes the one that adds the fewest new places; then one whose
columns come first. A variable in the place of a predicate or of a class comes last, because most facts have few of
them.

Cost: linear in the rules.

Sources: Soma and Prasanna, *Parallel Inferencing for OWL Knowledge Bases*; Urbani et al., *WebPIE* (schema triples are
in all parts).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from kgreason.ontology.read.schema import SCHEMA_CLASSES, SCHEMA_PREDICATES
from kgreason.rules.lowering import (
    Expression,
    Negation,
    Waiting,
    aggregations,
    lowered_expressions,
    negations,
    rules_without_not,
)
from kgreason.rules.model import Atom, Rule, Variable, triple
from kgreason.rules.patterns import with_numbered_variables
from kgreason.rules.strata import is_equality
from kgreason.spark.rounds.division import LocalRule, local_rules
from kgreason.terms.vocabulary import OWL_SAME_AS, RDF_TYPE

LITERALS = frozenset(["dt_ill", "dt_literal", "dt_type", "dt_value"])
"""The relations of what literals mean (rulesets/datatypes.dl). They have a fact for each literal with a datatype."""
_RARE = frozenset(["dt_differ", "dt_may_equal", "dt_not"])
"""Relations of literals and terms that some fact makes equal, or that are in a datatype without its value."""
_GROWING = frozenset(["list_all", "list_path", "list_shared"])
"""Relations of OWL 2 RL that walk along lists, and have facts for each individual."""
_PENALTY = 100
TOGETHER = -1
"""In place of a column: all facts of the pattern go to the first part."""
LINK = triple(Variable("x"), OWL_SAME_AS, Variable("y"))
"""A pattern of all links between equal terms."""


class PatternPlace(NamedTuple):
    """A pattern, and the column by whose values its facts are placed: the number of a term. None: everywhere.

    `TOGETHER`: all facts are in the first part.
    """

    pattern: Atom
    column: int | None


class Placement(NamedTuple):
    """Where the facts of a program go.

    `rules` are the rules that all parts evaluate, `first` those that only the first part evaluates. Hidden relations
    are among their atoms. `places` has each pattern once for each of its columns. `keys` has for each operator the
    number of the variable of its key by which it is placed, or `TOGETHER`.

    `atoms` has for each place how many atoms of one star are joined by it, at most. Operators decide by the places
    `decided`.
    """

    rules: tuple[Rule, ...]
    first: tuple[Rule, ...]
    places: tuple[PatternPlace, ...]
    keys: Mapping[Waiting, int]
    atoms: Mapping[PatternPlace, int]
    decided: frozenset[PatternPlace]


def placement(rules: Iterable[Rule]) -> Placement:
    """Return the placement for rules. NOT, expressions and aggregates become hidden atoms first (`rules.lowering`).

    The facts about literals, the schema and owl:sameAs are everywhere.
    """
    rules = tuple(rules)
    local = local_rules(chain.from_iterable(map(rules_without_not, rules)), _is_everywhere)
    places: dict[PatternPlace, None] = {}
    atoms: dict[PatternPlace, int] = {}
    for each in local:
        places |= dict.fromkeys(PatternPlace(with_numbered_variables(atom), None) for atom in each.copied)
    for each in sorted(local, key=lambda each: len(each.variables)):
        if len(each.spread) > 1:
            ways = [_places_by(each, variable) for variable in each.variables]
            way = min(ways, key=lambda way: (_weight(set(way).difference(places)), _weight(way)))
            places |= dict.fromkeys(way)
            for place in way:
                atoms[place] = max(atoms.get(place, 0), way.count(place))
    keys: dict[Waiting, int] = {}
    decided = set[PatternPlace]()
    operators = dict[Waiting, None]()
    for rule in rules:
        operators |= dict.fromkeys((*negations(rule), *lowered_expressions(rule)))
        operators |= dict.fromkeys(aggregations(rule))
    for operator in operators:
        key, read = parts_of(operator)
        by = {number: _places_for_key(read, key, number) for number in range(len(key)) or (TOGETHER,)}
        keys[operator] = min(by, key=lambda number: _weight(set(by[number]).difference(places)))
        places |= dict.fromkeys(by[keys[operator]])
        decided.update(by[keys[operator]])
    if keys and any(map(is_equality, rules)):
        places[PatternPlace(with_numbered_variables(LINK), None)] = None
    return Placement(
        tuple(each.rule for each in local if each.spread),
        tuple(each.rule for each in local if not each.spread),
        tuple(places),
        keys,
        atoms,
        frozenset(decided),
    )


def parts_of(operator: Waiting) -> tuple[tuple[Variable, ...], tuple[Atom, ...]]:
    """Return the variables of the key of an operator, and the atoms that it reads or asserts."""
    atoms: tuple[Atom, ...]
    match operator:
        case Negation(pattern, asks, none, _):
            atoms = asks, none, pattern
        case Expression(asks, made, _, called):
            atoms = asks, made, *([called] if called else [])
        case _:
            return operator.aggregate.group, (operator.each, operator.value)
    return tuple(term for term in atoms[0].terms if isinstance(term, Variable)), atoms


def is_small(atom: Atom) -> bool:
    """Whether an atom is about the schema or about equal terms, so that it is small beside the data."""
    if atom.relation is not None:
        is_of_schema = atom.relation.startswith(("scm_", "list_")) and atom.relation not in _GROWING
        return is_of_schema or atom.relation in _RARE
    _, predicate, object_ = atom.terms
    if predicate == RDF_TYPE:
        return object_ in SCHEMA_CLASSES
    return predicate in SCHEMA_PREDICATES or predicate == OWL_SAME_AS


def _places_by(local: LocalRule, variable: Variable) -> list[PatternPlace]:
    """Return where the spread atoms of a star are placed if it is joined by `variable`."""
    return [PatternPlace(with_numbered_variables(atom), atom.terms.index(variable)) for atom in local.spread]


def _is_everywhere(atom: Atom) -> bool:
    return atom.relation in LITERALS or is_small(atom)


def _places_for_key(atoms: Iterable[Atom], key: tuple[Variable, ...], number: int) -> list[PatternPlace]:
    """Return where the atoms of an operator are placed if variable `number` of its key decides."""
    return [
        PatternPlace(
            with_numbered_variables(atom),
            None if _is_everywhere(atom) else TOGETHER if number == TOGETHER else atom.terms.index(key[number]),
        )
        for atom in atoms
    ]


def _weight(places: Iterable[PatternPlace]) -> int:
    """Return how much places cost. Facts with few different values in a column fill few parts."""
    weight = 0
    for (relation, terms), column in places:
        is_poor = relation is None and (column == 1 or (column == 2 and terms[1] == RDF_TYPE))
        weight += _PENALTY if is_poor else 1 + (column or 0)
    return weight
