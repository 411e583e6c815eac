"""`stratify`: the order in which negations and aggregates can be decided, or a cycle that allows no order.

A rule A depends on a rule B if a head of B can match an atom that A reads. The dependency is *closed* if A must wait
until all facts that match the atom are derived. This is so if the atom is under NOT or inside AGGREGATE, or if A is a
rule of SPARQL-RL that assigns a value. All other dependencies are *open*. So a cycle must not contain a closed
dependency, with one exception (below).

A negation or aggregate n is decided in a *stratum*:

    stratum(n) = 1 + the largest stratum of any other m such that a rule that contains m can derive facts that n
                     reads, directly or through other rules

Each negation has a stratum, rather than each predicate: several rules may derive one predicate, each from another
stratum. Rules that assign have no stratum, because they need no order: facts that appear later only add to what they
derive. They are only checked for cycles. SKOLEM makes one blank node for each individual. So if a program has rules
about equality, SKOLEM has a stratum too: it waits until owl:sameAs is final. An aggregate with a SKOLEM among its
expressions waits for this SKOLEM.

No rule depends on the rules about equality and about the values of literals (`is_equality`): rules that replace equals
by equals would put every triple on one cycle. Instead, if a program has such rules, everything that waits for facts
also waits for all other rules that derive owl:sameAs.

The exception: a cycle is allowed if all its closed dependencies come from aggregates MIN, or all from aggregates MAX.
Its rules find a smallest or largest value by recursion (shortest paths). The aggregates of such a cycle are one
*recursion* here, and have the same stratum.

Law: there are strata exactly if no cycle but these recursions has a closed dependency. Cost: nothing for a program
without closed dependencies. Otherwise an index of all rules is made. Then a walk starts from each negation, aggregate
and rule that assigns; it visits all rules that can derive the facts that its start reads.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise
from typing import NamedTuple

from kgreason.errors import StratificationError
from kgreason.rules.formatter import format_aggregate, format_atom, format_not
from kgreason.rules.lowering import (
    Aggregation,
    Closed,
    Expression,
    Negation,
    Waiting,
    aggregations,
    closed_parts,
    is_closed,
    lowered_body,
    lowered_expression,
    negations,
    skolems,
    skolems_of,
)
from kgreason.rules.model import Atom, Rule, Variable, label, triple
from kgreason.rules.patterns import can_match
from kgreason.terms.vocabulary import OWL_SAME_AS, RDF_TYPE

_EQUALITY = frozenset(["representatives", "links", "eq", "eq-ref", "eq-literals", "twins"])
_UNDRAWN = frozenset(["representatives", "datatypes"])
_COPYING = frozenset(["eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o", "eq-ref", "eq-literals", "cls-twin"])
_SAME = triple(Variable("x"), OWL_SAME_AS, Variable("y"))
_Signature = tuple[str | None, int, str | None, str | None]


_Reached = Mapping[Rule, Rule | None]
"""The rules that something closed depends on; for each, the rule that reads its facts (None: the closed one itself)."""


class Level(NamedTuple):
    """When a negation, an aggregate or a SKOLEM is decided. `level` is its stratum, from 1.

    `recursion` is the number of the recursion to which an aggregate belongs, otherwise 0. The aggregates of one
    recursion need each other. They are decided again and again until their values stay the same. `reads` are all atoms
    that the recursion reads, directly or through rules.
    """

    level: int
    recursion: int = 0
    reads: frozenset[Atom] = frozenset()


def stratify(program: Sequence[Rule]) -> dict[Waiting, Level]:
    """Return the stratum of each negation and aggregate, and of each SKOLEM if there are rules about equality.

    `program`: the rules of the dependency graph, as a value: nothing outside of `rules` is called to make them.

    Raises StratificationError for a cycle, with the names of its rules.
    """
    is_equal = any(map(is_equality, program))
    closing = [rule for rule in program if not rule.is_positive]
    found = dict.fromkeys(chain.from_iterable(map(partial(closed_parts, is_equal=is_equal), closing)))
    if not found:
        return {}
    producers = _Producers(program)
    reached = {closed: _rules_below(closed, producers, is_equal=is_equal) for closed in found}
    needs = {closed: _needed_parts(rules, is_equal=is_equal) for closed, rules in reached.items()}
    for rule in closing if is_equal else ():
        for hidden in aggregations(rule):
            needs[hidden] |= dict.fromkeys(_inner_skolems(hidden), rule)
    return _levels(needs, reached)


def has_closed(rule: Rule) -> bool:
    """Whether a rule has NOT, AGGREGATE or SKOLEM, or is of SPARQL-RL and assigns. Such a rule may need strata."""
    return bool(rule.negated or rule.aggregates or is_closed(rule) or skolems(rule))


class _Producers:
    """The rules of a program, indexed by their heads."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: defaultdict[_Signature, list[tuple[Atom, Rule]]] = defaultdict(list)
        self._found: dict[Atom, tuple[Rule, ...]] = {}
        self._of_relation: defaultdict[tuple[str | None, int], dict[_Signature, None]] = defaultdict(dict)
        for rule in rules:
            for signature, head in _keyed_heads(rule):
                self._rules[signature].append((head, rule))
                self._of_relation[signature[:2]][signature] = None

    def producers_of(self, atom: Atom) -> tuple[Rule, ...]:
        """Return the rules that have a head which can match `atom`; each atom is looked up once."""
        found = self._found.get(atom)
        if found is None:
            found = self._found[atom] = tuple(dict.fromkeys(self._producers_of(atom)))
        return found

    def _producers_of(self, atom: Atom) -> Iterator[Rule]:
        relation, width, predicate, kind = _signature(atom)
        signatures: Iterable[_Signature]
        if relation is not None and predicate is None:
            signatures = self._of_relation[relation, width]
        elif relation is not None:
            signatures = [(relation, width, first, None) for first in (predicate, None)]
        elif predicate is None:
            signatures = [each for each in self._rules if each[0] is None]
        elif kind is None:
            signatures = [each for each in self._rules if each[0] is None and each[2] in (predicate, None)]
        else:
            signatures = [(None, 3, one, other) for one in (predicate, None) for other in (kind, None)]
        for signature in signatures:
            yield from (rule for head, rule in self._rules.get(signature, ()) if can_match(head, atom))


@lru_cache(maxsize=1 << 14)
def _keyed_heads(rule: Rule) -> tuple[tuple[_Signature, Atom], ...]:
    """Return the heads of a rule, each with its key; none for kgreason's own rules about equality."""
    return () if is_equality(rule) else tuple((_signature(head), head) for head in rule.heads)


def is_equality(rule: Rule) -> bool:
    """Whether a rule is one of kgreason's own about equality.

    Such a rule replaces equals by equals, or is about owl:sameAs itself, or about the values of literals.
    """
    return rule.group in _UNDRAWN or (rule.group in _EQUALITY and rule.name in _COPYING)


def _signature(atom: Atom) -> _Signature:
    """Return the key of an atom in the index of rules by their heads.

    The key of a triple has its predicate, and its class if the predicate is rdf:type. The key of another atom has its
    relation, the number of its terms, and the first term if it is a constant.
    """
    if atom.relation is not None:
        first = next((term for term in atom.terms[:1] if not isinstance(term, Variable)), None)
        return atom.relation, len(atom.terms), first, None
    _, predicate, object_ = (None if isinstance(term, Variable) else term for term in atom.terms)
    return None, 3, predicate, object_ if predicate in (RDF_TYPE, None) else None


def _rules_below(closed: Closed, producers: _Producers, *, is_equal: bool) -> _Reached:
    """Return the rules that can derive facts that `closed` reads, directly or through the bodies of other such rules.

    The result maps each rule to the rule that reads its facts, or to None if `closed` itself reads them. `is_equal`
    says that the program has rules about equality; then facts of owl:sameAs count as read, too.
    """
    atoms = (*_atoms_of(closed), *((_SAME,) if is_equal else ()))
    reached: dict[Rule, Rule | None] = {rule: None for atom in atoms for rule in producers.producers_of(atom)}
    queue = list(reached)
    while queue:
        reader = queue.pop()
        for atom in reader.body:
            for rule in producers.producers_of(atom):
                if rule not in reached:
                    reached[rule] = reader
                    queue.append(rule)
    return reached


def _atoms_of(closed: Closed) -> Iterable[Atom]:
    match closed:
        case Rule():
            return closed.atoms_read()
        case Negation():
            return closed.negated.atoms
        case Aggregation():
            return closed.aggregate.atoms
        case Expression():
            return ()


def _inner_skolems(closed: Closed) -> set[Closed]:
    """Return the SKOLEMs inside `closed` if it is an aggregate, else an empty set."""
    return set(skolems_of(closed.aggregate.computed)) if isinstance(closed, Aggregation) else set()


def _needed_parts(reached: _Reached, *, is_equal: bool) -> dict[Closed, Rule]:
    """Return what must be decided before the facts that the rules `reached` derive are final.

    This is each NOT and each aggregate in these rules, and each of these rules that is of SPARQL-RL and assigns. If
    `is_equal`, the program has rules about equality, and each SKOLEM is included. The result maps each of them to a
    rule that contains it; a rule that assigns is mapped to itself.
    """
    closing = (rule for rule in reached if not rule.is_positive)
    return {closed: rule for rule in closing for closed in closed_parts(rule, is_equal=is_equal)}


def _levels(needs: Mapping[Closed, Mapping[Closed, Rule]], reached: Mapping[Closed, _Reached]) -> dict[Waiting, Level]:
    numbers, order = _order(needs, reached)
    levels: dict[int, Level] = {}
    for members in order:
        inside = {numbers[closed] for closed in members}
        needed = {numbers[each] for closed in members for each in needs[closed]}
        below = max((levels[number].level for number in needed - inside), default=0)
        is_decided = not isinstance(members[0], Rule)
        (number,) = inside
        levels[number] = Level(below + is_decided)
        if needed & inside:
            reads = {atom for closed in members for atom in _atoms_of(closed)}
            reads |= {atom for closed in members for rule in reached[closed] for atom in lowered_body(rule)}
            levels[number] = Level(below + is_decided, number, frozenset(reads))
    return {closed: levels[number] for closed, number in numbers.items() if not isinstance(closed, Rule)}


def _order(
    needs: Mapping[Closed, Mapping[Closed, Rule]], reached: Mapping[Closed, _Reached]
) -> tuple[dict[Closed, int], list[list[Closed]]]:
    """Put the keys of `needs` in an order. Returns a number for each key, and a list of groups of keys.

    `needs` maps each key to the keys that must be decided before it. `reached` has the rules between a key and what it
    needs; only error messages show them. The aggregates of one recursion form a group and have the same number; any
    other key is a group of its own. In the list, each group comes after the groups that it needs. Raises
    StratificationError for a cycle that is no recursion.
    """
    numbers = {closed: number for number, closed in enumerate(needs, 1)}
    while True:
        members: defaultdict[int, list[Closed]] = defaultdict(list)
        for closed, number in numbers.items():
            members[number].append(closed)
        edges = {
            number: {numbers[each] for closed in inside for each in needs[closed]}
            - ({number} if _may_recur(inside) else set())
            for number, inside in members.items()
        }
        try:
            return numbers, [members[number] for number in TopologicalSorter(edges).static_order()]
        except CycleError as error:
            *cycle, _ = reversed(error.args[1])  # each needs the next
            path = [closed for number in cycle for closed in members[number]]
            if not _may_recur(path):
                path = path if len(path) == len(cycle) else _cycle_in(path, needs)
                raise StratificationError(_cycle_message(path, needs, reached)) from None
            numbers |= dict.fromkeys(path, numbers[path[0]])


def _may_recur(path: Iterable[Closed]) -> bool:
    """Whether all members of a cycle are MIN aggregates, or all are MAX aggregates. Such a cycle is a recursion."""
    kinds = {closed.aggregate.function if isinstance(closed, Aggregation) else "" for closed in path}
    return kinds in ({"MIN"}, {"MAX"})


def _cycle_in(part: Sequence[Closed], needs: Mapping[Closed, Iterable[Closed]]) -> list[Closed]:
    """Return a cycle among the members of `part`. Each member of `part` needs every other, directly or through others.

    If there is a member that is no MIN or MAX aggregate, the cycle begins with such a member.
    """
    start = next((closed for closed in part if not _may_recur([closed])), part[0])
    inside, reader = set(part), dict[Closed, Closed]()
    queue = deque([start])
    while start not in reader:
        at = queue.popleft()
        for needed in needs[at]:
            if needed in inside and needed not in reader:
                reader[needed] = at
                queue.append(needed)
    path = [start]
    while (before := reader[path[-1]]) != start:
        path.append(before)
    return path[:1] + path[:0:-1]


def _cycle_message(
    path: Sequence[Closed],
    needs: Mapping[Closed, Mapping[Closed, Rule]],
    reached: Mapping[Closed, _Reached],
) -> str:
    """Return the error message for the cycle `path`: each member needs the next one, and the last needs the first.

    The message has a step for each member: the rule that contains the member (from `needs`), and the rules through
    which the member needs the next one (from `reached`). If an aggregate contains the SKOLEM that follows it in the
    path, this SKOLEM is left out: the aggregate needs all that the SKOLEM needs.
    """
    path = [closed for number, closed in enumerate(path) if closed not in _inner_skolems(path[number - 1])]
    steps = []
    for number, closed in enumerate(path):
        sayer = needs[path[number - 1]][closed]
        chain = [needs[closed][path[(number + 1) % len(path)]]]
        while (reader := reached[closed][chain[-1]]) is not None:
            chain.append(reader)
        derives = label(chain[-1])
        match = _match_note(_atoms_of(closed), chain[-1])
        derives += " (it derives owl:sameAs, which can make any two terms equal)" if match is None else match
        for reader, rule in pairwise(reversed(chain)):
            derives += f", which needs {label(rule)}{_match_note(reader.body, rule) or ''}"
        steps.append(f"{label(sayer)} {_sayer_words(closed, sayer)}, so it needs {derives}")
    is_negated, is_aggregated = (any(isinstance(closed, kind) for closed in path) for kind in (Negation, Aggregation))
    saying = "say NOT" if is_negated else "aggregate" if is_aggregated else "assign values"
    return f"rules {saying} in a circle, so there is no order in which they can be decided: {'; '.join(steps)}"


def _match_note(atoms: Iterable[Atom], rule: Rule) -> str | None:
    """Return a note for an error message on how a head of `rule` matches one of `atoms`; None if no head matches.

    The note is empty unless this one of `atoms` has a variable as its predicate or as its class.
    """
    found = ((atom, head) for atom in atoms for head in rule.heads if can_match(head, atom))
    atom, head = next(found, (None, None))
    if atom is None or head is None:
        return None
    _, predicate, class_ = atom.terms if atom.relation is None else (None, "", "")
    if isinstance(predicate, Variable) or (predicate == RDF_TYPE and isinstance(class_, Variable)):
        return f" ({format_atom(atom, {})} can be {format_atom(head, {})}; DATA before it reads asserted triples only)"
    return ""


def _sayer_words(wanted: Closed, sayer: Rule) -> str:
    """Return words for an error message on what the rule `sayer` does, such as `says NOT p(?x)`.

    `wanted` is the NOT, aggregate or SKOLEM of `sayer` that the words are about, or `sayer` itself if it assigns. The
    words have the variables of `sayer`.
    """
    if isinstance(wanted, Rule):
        names = " and ".join(str(computed.result) for computed in wanted.computed if computed.result)
        return f"assigns {names} in SPARQL-RL"
    if isinstance(wanted, Expression):
        results = (each.result for each in sayer.computed if lowered_expression(each)[0] == wanted)
        return f"makes {next(results, wanted.computed.result)} with SKOLEM"
    if isinstance(wanted, Aggregation):
        aggregates = (one for one, other in zip(sayer.aggregates, aggregations(sayer), strict=True) if other == wanted)
        return f"says {format_aggregate(next(aggregates, wanted.aggregate), {})}"
    written = (negated for negated, hidden in zip(sayer.negated, negations(sayer), strict=True) if hidden == wanted)
    return f"says {format_not(next(written, wanted.negated), {})}"
