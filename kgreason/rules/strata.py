"""`stratify`: the order in which the negations of a program can be decided, or a cycle that allows no order.

A rule A depends on a rule B if a head of B can match a body atom of A. The dependency is *closed* if the atom is under
NOT, else *open*. All dependencies of a rule of SPARQL-RL that assigns a value are closed. A closed dependency can be
decided once all rules that it depends on have derived everything. So no cycle may contain a closed dependency. Each
rule has a stratum, as in W3C's SPARQL-RL, rather than each predicate: several rules may derive one predicate, each in a
stratum of its own.

    level(n) = 1 + the largest level of a negation m, where a rule that contains m can derive facts
                   that n negates, directly or through other rules

Rules that assign get no level: what they derive only grows with what they read, so they need no order. They are looked
at for cycles alone.

Rules about equality and the values of literals are not part of this graph. Otherwise the rules that replace equals by
equals would put every triple on one cycle. Instead each negation also depends on all other rules that derive
owl:sameAs.

Law: levels are finite exactly if no cycle has a closed dependency. Cost: nothing for a program without closed
dependencies. Else an index of all rules, and for each negation and each rule that assigns a look at the rules that can
derive the facts that it reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from kgreason.errors import StratificationError
from kgreason.rules.formatter import format_not
from kgreason.rules.lowering import Negation, negations
from kgreason.rules.model import Atom, Rule, Variable, triple
from kgreason.rules.patterns import can_match
from kgreason.terms.vocabulary import OWL_SAME_AS, RDF_TYPE

_EQUALITY = frozenset(["representatives", "links", "eq", "eq-ref", "eq-literals", "twins"])
_UNDRAWN = frozenset(["representatives", "datatypes"])
_COPYING = frozenset(["eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o", "eq-ref", "eq-literals", "cls-twin"])
_SAME = triple(Variable("x"), OWL_SAME_AS, Variable("y"))
_Signature = tuple[str | None, int, str | None, str | None]


_Closed = Negation | Rule
"""What has closed dependencies: a negation, or a rule that assigns."""
_Reached = Mapping[Rule, Rule | None]
"""The rules that something closed depends on; for each, the rule that reads its facts (None: the closed one itself)."""


def stratify(rules: Iterable[Rule]) -> dict[Negation, int]:
    """The level of each negation, from 1. Raises StratificationError for a cycle; the message names its rules."""
    program = list(rules)
    found = dict.fromkeys(closed for rule in program for closed in _closed(rule))
    if not found:
        return {}
    producers = _Producers(program)
    is_equal = any(map(_is_equality, program))
    reached = {closed: _reached(closed, producers, is_equal=is_equal) for closed in found}
    return _levels({closed: _needs(rules) for closed, rules in reached.items()}, reached)


def has_closed(rule: Rule) -> bool:
    """Whether a rule has a closed dependency."""
    return bool(rule.negated) or _is_closed(rule)


def _is_closed(rule: Rule) -> bool:
    return rule.dialect == "srl" and rule.assigns()


def _closed(rule: Rule) -> Iterator[_Closed]:
    yield from negations(rule)
    if _is_closed(rule):
        yield rule


class _Producers:
    """The rules of a program, indexed by their heads."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: defaultdict[_Signature, list[tuple[Atom, Rule]]] = defaultdict(list)
        for rule in rules:
            if not _is_equality(rule):
                for head in rule.heads:
                    self._rules[_signature(head)].append((head, rule))

    def of(self, atom: Atom) -> Iterator[Rule]:
        """Yield the rules with a head that can match an atom."""
        relation, width, predicate, kind = _signature(atom)
        if relation is not None:
            signatures: Iterable[_Signature] = [(relation, width, None, None)]
        elif predicate is None:
            signatures = [each for each in self._rules if each[0] is None]
        elif kind is None:
            signatures = [each for each in self._rules if each[0] is None and each[2] in (predicate, None)]
        else:
            signatures = [(None, 3, one, other) for one in (predicate, None) for other in (kind, None)]
        for signature in signatures:
            yield from (rule for head, rule in self._rules.get(signature, ()) if can_match(head, atom))


def _is_equality(rule: Rule) -> bool:
    """Whether a rule replaces equals by equals, or is about owl:sameAs itself or the values of literals."""
    return rule.group in _UNDRAWN or (rule.group in _EQUALITY and rule.name in _COPYING)


def _signature(atom: Atom) -> _Signature:
    """The look-up key of an atom: its relation and width; or its predicate, and its class if that is rdf:type."""
    if atom.relation is not None:
        return atom.relation, len(atom.terms), None, None
    _, predicate, object_ = (None if isinstance(term, Variable) else term for term in atom.terms)
    return None, 3, predicate, object_ if predicate in (RDF_TYPE, None) else None


def _reached(closed: _Closed, producers: _Producers, *, is_equal: bool) -> _Reached:
    """The rules that can derive facts that `closed` reads, directly or through open dependencies."""
    atoms = (*_read(closed), *((_SAME,) if is_equal else ()))
    reached: dict[Rule, Rule | None] = {rule: None for atom in atoms for rule in producers.of(atom)}
    queue = list(reached)
    while queue:
        reader = queue.pop()
        for atom in reader.body:
            for rule in producers.of(atom):
                if rule not in reached:
                    reached[rule] = reader
                    queue.append(rule)
    return reached


def _read(closed: _Closed) -> Iterable[Atom]:
    return closed.read() if isinstance(closed, Rule) else closed.negated.atoms


def _needs(reached: _Reached) -> dict[_Closed, Rule]:
    """What is closed in the reached rules, each with a rule that has it."""
    return {closed: rule for rule in reached for closed in _closed(rule)}


def _levels(
    needs: Mapping[_Closed, Mapping[_Closed, Rule]], reached: Mapping[_Closed, _Reached]
) -> dict[Negation, int]:
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        *path, _ = reversed(error.args[1])  # each needs the next
        raise StratificationError(_cycle(path, needs, reached)) from None
    levels: dict[_Closed, int] = {}
    for closed in order:
        below = max((levels[each] for each in needs[closed]), default=0)
        levels[closed] = below + isinstance(closed, Negation)
    return {closed: levels[closed] for closed in needs if isinstance(closed, Negation)}


def _cycle(
    path: Sequence[_Closed],
    needs: Mapping[_Closed, Mapping[_Closed, Rule]],
    reached: Mapping[_Closed, _Reached],
) -> str:
    """The error message for a cycle: each part of `path` needs the next, and the last needs the first.

    Each step begins with a rule that says NOT or assigns, in the words of this rule.
    """
    steps = []
    for number, closed in enumerate(path):
        sayer = needs[path[number - 1]][closed]
        chain = [needs[closed][path[(number + 1) % len(path)]]]
        while (reader := reached[closed][chain[-1]]) is not None:
            chain.append(reader)
        derives = ", which needs ".join(map(_label, reversed(chain)))
        if not any(can_match(head, atom) for head in chain[-1].heads for atom in _read(closed)):
            derives += " (it derives owl:sameAs, which can make any two terms equal)"
        steps.append(f"{_label(sayer)} {_said(closed, sayer)}, so it needs {derives}")
    saying = "say NOT" if any(isinstance(closed, Negation) for closed in path) else "assign values"
    return f"rules {saying} in a circle, so there is no order in which they can be decided: {'; '.join(steps)}"


def _said(wanted: _Closed, sayer: Rule) -> str:
    """What a rule says, with the variables of the rule."""
    if isinstance(wanted, Rule):
        names = " and ".join(str(computed.result) for computed in wanted.computed if computed.result)
        return f"assigns {names} in SPARQL-RL"
    written = (negated for negated, hidden in zip(sayer.negated, negations(sayer), strict=True) if hidden == wanted)
    return f"says {format_not(next(written, wanted.negated), {})}"


def _label(rule: Rule) -> str:
    """The name of a rule, with the file that the rule came from."""
    name = f"rule {rule.group}/{rule.name}" if rule.group else f"rule {rule.name}"
    return f"{name} (from {rule.file})" if rule.file else name
