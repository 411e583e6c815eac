"""Rules as values. The parser and the translation of the ontology make them; the engine evaluates them.

A *constant* is the N-Triples text of an RDF term (`<http://e/a>`, `_:b`, `"1"^^<...#integer>`): a plain `str`, the text
that the dictionary maps to an id. A *variable* is a `Variable`. An atom is a triple pattern (`relation is None`, three
terms) or `relation(t1, ..., tn)` of any arity; a triple pattern never matches a fact of a relation. A rule that reports
a contradiction has the single head `FALSE`.

Invariant: the canonical form of a rule (`canonical`) does not depend on the names of variables or on the order of
axioms. So two axioms that mean the same rule give equal values, and the weight of this rule in the program is 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kgreason.terms.vocabulary import OWL_SAME_AS, RDF_TYPE, VOCABULARY

_VOCABULARY = frozenset(VOCABULARY)


class Variable(NamedTuple):
    """A rule variable; `name` has no question mark.

    Each `_` of a rule is a variable of its own, with a name that no text can have: `_ 1`, `_ 2` and so on.
    """

    name: str

    @property
    def is_anonymous(self) -> bool:
        """Whether the variable is written `_`: nothing else in its rule has it."""
        return self.name.startswith("_ ")

    def __str__(self) -> str:
        return "_" if self.is_anonymous else f"?{self.name}"


def anonymous_variable(number: int) -> Variable:
    """Return the variable for the `_` with this number in a rule.

    >>> str(anonymous_variable(1)), anonymous_variable(1) == anonymous_variable(2)
    ('_', False)
    """
    return Variable(f"_ {number}")


Constant: TypeAlias = str
Term: TypeAlias = Variable | Constant
Triple: TypeAlias = tuple[Constant, Constant, Constant]


DATA = "DATA"
"""The relation of asserted triples: `Atom(DATA, (s, p, o))` matches a triple that users asserted, in any graph."""


class Atom(NamedTuple):
    """An atom of a relation, or a triple pattern. A triple pattern has the `relation` None, or `DATA` after `DATA`."""

    relation: str | None
    terms: tuple[Term, ...]

    def variables(self) -> set[Variable]:
        """Return the variables that occur in the atom."""
        return {term for term in self.terms if isinstance(term, Variable)}

    @property
    def is_link(self) -> bool:
        """Whether the atom is `x owl:sameAs y`."""
        return self.relation is None and self.terms[1] == OWL_SAME_AS


FALSE = Atom("false", ())
"""The head of a rule that reports a contradiction."""


class Not(NamedTuple):
    """A negation, `NOT atom` or `NOT EXISTS ?z IN (atoms, filters)`.

    It holds if no values of the local variables make all atoms and filters hold at once. `local` are the variables
    after `EXISTS`, then each `_`. These variables occur in `atoms`, and in no other part of the rule. `computed` are
    the filters; `atoms` may be empty if there is a filter.
    """

    atoms: tuple[Atom, ...]
    local: tuple[Variable, ...] = ()
    computed: tuple[Computed, ...] = ()

    def outer_variables(self) -> tuple[Variable, ...]:
        """Return the variables under NOT that the rest of the rule binds, in the order in which they occur."""
        terms = dict.fromkeys(term for atom in self.atoms for term in atom.terms)
        terms |= dict.fromkeys(variable for computed in self.computed for variable in computed.inputs())
        return tuple([term for term in terms if isinstance(term, Variable) and term not in self.local])


class Computed(NamedTuple):
    """A filter or an assignment: `FILTER(expression)` or `BIND(expression AS ?result)`.

    `parts` are the tokens of the expression: variables, constants as N-Triples text, operators and names. If the
    expression has an error for a match of the body, this match is dropped, as with a false FILTER. `result` is None for
    a FILTER. `SKOLEM("label", ...)` must be the whole expression. Its result is a blank node: the same node for the
    same label and arguments.
    """

    parts: tuple[Variable | str, ...]
    result: Variable | None = None

    def inputs(self) -> tuple[Variable, ...]:
        """Return the variables of the expression, in the order in which they occur."""
        return tuple(dict.fromkeys(part for part in self.parts if isinstance(part, Variable)))


class Aggregate(NamedTuple):
    """An aggregate, `AGGREGATE(atoms ON ?x BIND COUNT(DISTINCT ?y) AS ?n)`: one value for each group of matches.

    The matches that give the variables of `group` the same values are one group. `function` is COUNT, SUM, MIN, MAX,
    AVG, SAMPLE or GROUP_CONCAT, or the name of a Python function. `argument` is the variable that the function reads.
    It is None for COUNT(*), which counts the matches. `computed` has the filters and assignments inside, in their
    order. `separator` is the text between the values of GROUP_CONCAT. Variables inside the brackets that are not in
    `group` occur in no other part of the rule.
    """

    atoms: tuple[Atom, ...]
    computed: tuple[Computed, ...]
    group: tuple[Variable, ...]
    function: str
    argument: Variable | None
    result: Variable
    is_distinct: bool = False
    separator: str | None = None

    def variables(self) -> tuple[Variable, ...]:
        """Return the variables inside the brackets of the aggregate, in the order in which they occur."""
        terms = dict.fromkeys(term for atom in self.atoms for term in atom.terms)
        terms |= dict.fromkeys(computed.result for computed in self.computed if computed.result)
        return tuple([term for term in terms if isinstance(term, Variable)])


class Column(NamedTuple):
    """A column of a declared relation: its name, and the IRI of its type. If the type is None, any term is allowed."""

    name: str
    type: Constant | None = None


class Relation(NamedTuple):
    """The declaration of a relation: `@relation edge(from, to, weight: xsd:integer) key(from, to) .`.

    `key` has the numbers of the key's columns, from 0. No two facts have the same terms in these columns; with an
    empty key all facts are allowed. `kind` says who makes the facts: only users ("input"), only rules ("derived" and
    "internal"), or both (""). Deltas and dumps leave internal relations out.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[int, ...] = ()
    kind: str = ""


RELATION_KINDS = ("input", "derived", "internal")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule `heads :- body, aggregates, computed, negated .`.

    `body` has the atoms that must hold, `aggregates` has each AGGREGATE, and `negated` has each NOT. `computed` has the
    filters and assignments, each after the assignments whose results it reads. The name of a rule from the W3C
    tables is the one that the tables give it.

    `sources` are the schema triples that the rule was translated from; proofs show these triples. `file` is the rule
    file that a user's rule came from, or "", and `line` is the line of its head there, or 0 if nobody knows. Equality
    and hash ignore `sources`, `file` and `line`. `dialect` is the language of the rule's text: "" for our own, "srl"
    for SPARQL-RL, "rq" for a CONSTRUCT query.

    A declaration of a relation is a `Rule` as well, so that users add, remove and store declarations like rules. Such a
    rule has the relation in `declares`, has no atoms, and derives nothing.
    """

    heads: tuple[Atom, ...]
    body: tuple[Atom, ...]
    name: str = ""
    group: str = ""
    sources: tuple[Triple, ...] = field(default=(), compare=False)
    negated: tuple[Not, ...] = ()
    computed: tuple[Computed, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    file: str = field(default="", compare=False)
    dialect: str = ""
    declares: Relation | None = None
    line: int = field(default=0, compare=False, repr=False)
    is_positive: bool = field(init=False, repr=False, compare=False)
    """Whether the rule has atoms only: no NOT, no expression and no aggregate."""
    has_plain_atoms: bool = field(init=False, repr=False, compare=False)
    """Whether the rule has nothing but atoms, none of them after `DATA`."""
    reads_links: bool = field(init=False, repr=False, compare=False)
    """Whether an atom of the body is `x owl:sameAs y`."""
    form: Rule | None = field(default=None, init=False, repr=False, compare=False)
    """The canonical form of a user's rule, once `canonical` has computed it."""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        is_positive = not (self.negated or self.computed or self.aggregates)
        object.__setattr__(self, "is_positive", is_positive)
        is_plain = is_positive and DATA not in [atom.relation for atom in self.body]
        object.__setattr__(self, "has_plain_atoms", is_plain)
        object.__setattr__(self, "reads_links", any(atom.is_link for atom in self.body))
        object.__setattr__(
            self,
            "_hash",
            hash(
                (
                    self.heads,
                    self.body,
                    self.name,
                    self.group,
                    self.negated,
                    self.computed,
                    self.aggregates,
                    self.dialect,
                    self.declares,
                )
            ),
        )

    def __hash__(self) -> int:
        return self._hash

    def atoms(self) -> tuple[Atom, ...]:
        """Return every atom of the rule: the heads, and the atoms that the rule reads."""
        return *self.heads, *self.atoms_read()

    def data(self) -> list[Atom]:
        """Return the atoms that the rule has after `DATA`, which match asserted triples only."""
        return [atom for atom in self.atoms_read() if atom.relation == DATA]

    def atoms_read(self) -> tuple[Atom, ...]:
        """Return the atoms that the rule reads: the body, and the atoms inside AGGREGATE and under NOT."""
        found = self.body
        for aggregate in self.aggregates:
            found += aggregate.atoms
        for negated in self.negated:
            found += negated.atoms
        return found

    def expressions(self) -> tuple[Computed, ...]:
        """Return every FILTER and BIND of the body, and the filters under NOT, but nothing inside aggregates."""
        found = self.computed
        for negated in self.negated:
            found += negated.computed
        return found

    def has_assignment(self) -> bool:
        """Whether the rule has a BIND."""
        return any(computed.result is not None for computed in self.computed)


def triple(subject: Term, predicate: Term, object_: Term) -> Atom:
    """Return the triple pattern `[subject, predicate, object]`."""
    return Atom(None, (subject, predicate, object_))


def type_atom(instance: Term, class_: Term) -> Atom:
    """Return the pattern `[instance, rdf:type, class_]`."""
    return Atom(None, (instance, RDF_TYPE, class_))


OWN = "a rule of your own"
"""The origin of a user's rule that came from no file."""


def origin(rule: Rule) -> str:
    """Return, in words, where a user's rule comes from: `from FILE`, or `OWN` if it came from no file."""
    return f"from {rule.file}" if rule.file else OWN


def label(rule: Rule) -> str:
    """Return the name of a rule for messages. For a rule from a file the text also names the file, and its line."""
    name = f"rule {rule.group}/{rule.name}" if rule.group else f"rule {rule.name}"
    return f"{name} (from {_place(rule)})" if rule.file else name


def place_of(rule: Rule) -> str:
    """Return the beginning of a message about one rule: its file and line, as far as they are known, and its name.

    >>> place_of(Rule((), (), "uncle", file="family.dl", line=3))
    'family.dl:3: rule uncle'
    """
    return f"{_place(rule)}: rule {rule.name}" if rule.file else f"rule {rule.name}"


def _place(rule: Rule) -> str:
    """Return the file of a rule, with the line if it is known."""
    return f"{rule.file}:{rule.line}" if rule.line else rule.file


def contradiction(rule: Rule) -> Atom:
    """Return the head that the engine derives for a rule with head `false`: `false(name, v1, ..., vn, c1, ..., cm)`.

    v1 to vn are the variables to which the body gives values, and c1 to cm are the constants of the body atoms, except
    the terms of the vocabulary (`terms.vocabulary`). Rules that are translated from different axioms may have the same
    name, but they differ in these constants.
    """
    terms: dict[Term, None] = dict.fromkeys(term for atom in rule.body for term in atom.terms)
    for aggregate in rule.aggregates:
        terms |= dict.fromkeys((*aggregate.group, aggregate.result))
    terms |= dict.fromkeys(computed.result for computed in rule.computed if computed.result)
    variables = (term for term in terms if isinstance(term, Variable))
    constants = (term for term in terms if not isinstance(term, Variable) and term not in _VOCABULARY)
    return Atom(FALSE.relation, (f'"{rule.name}"', *variables, *constants))
