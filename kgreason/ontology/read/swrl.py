"""Read SWRL rules from their RDF form, and turn them into rules.

A swrl:Imp has a swrl:body and a swrl:head, each an RDF list of atoms. An atom is a node with a class, a predicate and
its arguments. An argument typed swrl:Variable is a variable (SWRL submission, section 6). Each atom of a head is a
conclusion, with a rule of its own; an empty head is a contradiction. A class predicate may be the node of a class
expression. The body atom owl:Thing(?x) is left out if another body atom has ?x, because it has no effect then.

Atoms match only triples that the graph has. So swrl:SameIndividualAtom holds for a term and itself only if the rule
group eq-ref is on. With the option schema="data" SWRL rules have no effect, because there is no generic rule for them.

In a body, two individuals are different in two ways: by owl:differentFrom, in any order, or as members of an
owl:AllDifferent (rulesets/swrl.dl). Each combination of these ways gives a rule, so a body may have at most
`_MOST_APART` such atoms.

A built-in of a body becomes an expression of the rule (`builtins`). Data ranges are not supported. A rule with a data
range, or with a built-in that cannot be evaluated, gives a fault instead of rules. So does a rule with a broken list or
atom, or with a variable in its head that its body does not bind. Reading records every visited node, also the
arguments, so that an edit of any of these nodes reads the rule again.

Cost: linear in the atoms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, product

from kgreason.ontology.read.axioms import Implication
from kgreason.ontology.read.builtins import BuiltIn, BuiltInError, compute, short_name
from kgreason.ontology.read.lists import Fault, problem_of_count, read_list
from kgreason.ontology.read.rows import RowTable, rule
from kgreason.ontology.read.schema import Schema
from kgreason.rules.model import FALSE, Atom, Computed, Constant, Rule, Term, Triple, Variable, triple, type_atom
from kgreason.terms import vocabulary as v

_RELATIONS = {v.SWRL_SAME_INDIVIDUAL_ATOM: v.OWL_SAME_AS, v.SWRL_DIFFERENT_INDIVIDUALS_ATOM: v.OWL_DIFFERENT_FROM}
_PROPERTY_ATOMS = (v.SWRL_INDIVIDUAL_PROPERTY_ATOM, v.SWRL_DATAVALUED_PROPERTY_ATOM)
_ATOMS = (v.SWRL_CLASS_ATOM, *_PROPERTY_ATOMS, *_RELATIONS, v.SWRL_BUILTIN_ATOM, v.SWRL_DATA_RANGE_ATOM)

_MOST_APART = 6
"""So many atoms of a body may say that individuals are different. That is enough for any two of four individuals."""


class _FaultError(Exception):
    """Raised if a SWRL rule cannot be read, because of a problem at a node."""

    def __init__(self, node: Constant, problem: str) -> None:
        self.node = node
        super().__init__(problem)


def read_implication(schema: Schema, node: Constant) -> Implication | Fault | None:
    """Read the SWRL rule of a node. Returns the rule, or its fault, or None if the node is no swrl:Imp."""
    if v.SWRL_IMP not in schema.objects(node, v.RDF_TYPE):
        return None
    reader = _Reader(schema)
    reader.sources[node, v.RDF_TYPE, v.SWRL_IMP] = None
    try:
        found, head = reader.atoms(node, v.SWRL_BODY), reader.atoms(node, v.SWRL_HEAD)
        body, heads = _plain_atoms(found), _plain_atoms(head)
        for atom in _built_in_atoms(head):
            raise _FaultError(atom.node, f"{short_name(atom.name)} is a built-in, and a head cannot have built-ins")
        names = {variable: value for value, variable in reader.variables.items()}
        expressions = compute(_built_in_atoms(found), {term for atom in body for term in atom.terms}, names)
        reader.check_bound(node, heads, body, expressions)
        if (count := sum(map(says_different, body))) > _MOST_APART:
            raise _FaultError(node, f"{count} atoms of the body say that individuals are different, {_MOST_APART} may")
    except (_FaultError, BuiltInError) as error:
        return Fault(error.node, str(error), tuple(reader.visited))
    return Implication(v.SWRL_IMP, node, heads, body, tuple(reader.visited), tuple(reader.sources), expressions)


def _plain_atoms(atoms: Iterable[Atom | BuiltIn]) -> tuple[Atom, ...]:
    return tuple(atom for atom in atoms if isinstance(atom, Atom))


def _built_in_atoms(atoms: Iterable[Atom | BuiltIn]) -> list[BuiltIn]:
    return [atom for atom in atoms if isinstance(atom, BuiltIn)]


class _Reader:
    """Reads one SWRL rule. Keeps the visited nodes, the triples that were read, and the variables of the rule."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.variables: dict[Constant, Variable] = {}
        self.visited: dict[Constant, None] = {}
        self.sources: dict[Triple, None] = {}

    def atoms(self, node: Constant, predicate: Constant) -> tuple[Atom | BuiltIn, ...]:
        """Return the atoms in the list to which `predicate` (swrl:body or swrl:head) leads from `node`."""
        return tuple(map(self._atom, self._members(node, predicate)))

    def _members(self, node: Constant, predicate: Constant) -> tuple[Constant, ...]:
        """Return the members of the list to which `predicate` leads from `node`."""
        found = read_list(self._schema, self._value(node, predicate))
        if isinstance(found, Fault):
            self.visited |= dict.fromkeys(found.cells)
            raise _FaultError(found.cell, found.problem)
        self.visited |= dict.fromkeys(cell for cell, _, _ in found.triples)
        self.sources |= dict.fromkeys(found.triples)
        return found.members

    def _atom(self, node: Constant) -> Atom | BuiltIn:
        self.visited[node] = None
        kinds = [kind for kind in self._schema.objects(node, v.RDF_TYPE) if kind in _ATOMS]
        self._check_one(node, "the class of the atom", kinds)
        (kind,) = kinds
        if kind == v.SWRL_DATA_RANGE_ATOM:
            raise _FaultError(node, f"{_swrl_name(kind)} is not supported")
        self.sources[node, v.RDF_TYPE, kind] = None
        if kind == v.SWRL_BUILTIN_ATOM:
            name = self._value(node, v.SWRL_BUILTIN)
            return BuiltIn(node, name, tuple(map(self._term, self._members(node, v.SWRL_ARGUMENTS))))
        first = self._argument(node, v.SWRL_ARGUMENT1)
        if kind == v.SWRL_CLASS_ATOM:
            return type_atom(first, self._value(node, v.SWRL_CLASS_PREDICATE))
        relation = _RELATIONS.get(kind) or self._value(node, v.SWRL_PROPERTY_PREDICATE)
        return triple(first, relation, self._argument(node, v.SWRL_ARGUMENT2))

    def _argument(self, node: Constant, predicate: Constant) -> Term:
        return self._term(self._value(node, predicate))

    def _term(self, value: Constant) -> Term:
        """Return the term for an argument of an atom: a variable if `value` is of type swrl:Variable, else `value`."""
        self.visited[value] = None
        if v.SWRL_VARIABLE not in self._schema.objects(value, v.RDF_TYPE):
            return value
        self.sources[value, v.RDF_TYPE, v.SWRL_VARIABLE] = None
        return self.variables.setdefault(value, Variable(f"v{len(self.variables) + 1}"))

    def _value(self, node: Constant, predicate: Constant) -> Constant:
        """Return the object to which `predicate` leads from `node`. Raises _FaultError unless there is exactly one."""
        self.visited[node] = None
        found = self._schema.objects(node, predicate)
        self._check_one(node, _swrl_name(predicate), found)
        self.sources[node, predicate, found[0]] = None
        return found[0]

    def _check_one(self, node: Constant, name: str, found: Sequence[Constant]) -> None:
        if problem := problem_of_count(name, len(found)):
            raise _FaultError(node, problem)

    def check_bound(
        self, node: Constant, head: tuple[Atom, ...], body: tuple[Atom, ...], expressions: tuple[Computed, ...]
    ) -> None:
        """Raise _FaultError if the head has a variable that neither an atom nor an expression of the body binds."""
        bound = {variable for atom in body for variable in atom.variables()}
        bound |= {each.result for each in expressions if each.result is not None}
        for value, variable in self.variables.items():
            if variable not in bound and any(variable in atom.variables() for atom in head):
                raise _FaultError(node, f"the head has the variable {value}, but no atom of the body has it")


def _swrl_name(term: Constant) -> str:
    return f"swrl:{term.rpartition('#')[2][:-1]}"


def swrl(axiom: Implication) -> Iterator[Rule]:
    """Yield a rule for each atom of the head of a SWRL rule, and for each way in which individuals may be different.

    If the head is empty, the head is `false`.
    """
    others = {variable for atom in axiom.body if not _is_thing(atom) for variable in atom.variables()}
    body = [atom for atom in axiom.body if not (_is_thing(atom) and atom.terms[0] in others)]
    ways = (_ways(atom, number) if says_different(atom) else ((atom,),) for number, atom in enumerate(body))
    for found in map(chain.from_iterable, product(*ways)):
        atoms = tuple(found)
        for head in axiom.head or (FALSE,):
            yield replace(rule("swrl", axiom, head, *atoms), computed=axiom.computed)


def says_different(atom: Atom) -> bool:
    """Whether an atom of a body says that two individuals are different."""
    return atom.terms[1] == v.OWL_DIFFERENT_FROM


def _ways(atom: Atom, number: int) -> tuple[tuple[Atom, ...], ...]:
    """Return the two ways in which the individuals of an atom may be different, with the relations of swrl.dl.

    `number` is the number of the atom in the body.
    """
    one, _, other = atom.terms
    list_, level, bit, flipped = (Variable(f"{name}{number}") for name in ("list", "level", "bit", "flipped"))
    places = (Atom("swrl_place", (list_, level, place, term)) for place, term in ((bit, one), (flipped, other)))
    return (Atom("swrl_different", (one, other)),), (Atom("swrl_bits", (bit, flipped)), *places)


def _is_thing(atom: Atom) -> bool:
    return atom.terms[1:] == (v.RDF_TYPE, v.OWL_THING)


ROWS: RowTable = {v.SWRL_IMP: (swrl,)}
"""The rows for SWRL rules."""
