"""What rules of one order of a shapes graph see (SHACL-AF, 8): what rules of smaller orders made, not of later ones.

    shacl_made(k, s, p, o)    what rules of the order k make;  [s, p, o] :- shacl_made(k, s, p, o)
    shacl_seen(k, s, p, o)    an asserted triple, or one that a rule of a smaller order made

A rule of the order k reads the graph, with all that the rules of the graph derive. But where a rule of its order or of
a later one may make a triple that matches, it reads `shacl_seen`. So "without a label, add one" is no circle.

Laws: one pass by order. With `is_iterated` all orders are one fixpoint, and everything is read from the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from kgreason.rules.model import DATA, Atom, Rule, Term, Variable
from kgreason.rules.patterns import can_match
from kgreason.shapes.vocabulary import SHAPE, SOURCE
from kgreason.terms import vocabulary as v

MADE, SEEN = "shacl_made", "shacl_seen"
_SHARED = (None, DATA, SHAPE, MADE, SEEN)
_TRIPLE = tuple(map(Variable, "spo"))


def number(order: int) -> str:
    """Return the term for the place of an order among the orders of a shapes graph."""
    return f'"{order}"^^{v.XSD_INTEGER}'


def exports(rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that bring what rules make into the graph: one for each order and predicate."""
    found = list[Rule]()
    for order, head in dict.fromkeys(_made(rule) for rule in rules if rule.heads[0].relation == MADE):
        found.append(Rule((head,), (Atom(MADE, (order, *head.terms)),), "sh-rule", file=SOURCE))
    return list(dict.fromkeys(found))


def rules_of_order(order: int, rules: Sequence[Rule], later: Sequence[Atom]) -> list[Rule]:
    """Return the rules of one order with relations of their own, and what they see.

    `later` are the patterns of the triples that rules of this order and of later ones make.
    """
    seen = dict[Atom, None]()

    def atom(found: Atom) -> Atom:
        if found.relation is None and any(can_match(head, found) for head in later):
            seen[_generalised_atom(found)] = None
            return Atom(SEEN, (number(order), *found.terms))
        return found if found.relation in _SHARED else Atom(f"{found.relation}_at{order}", found.terms)

    moved = [_with_atoms(rule, atom) for rule in rules]
    return [*moved, *_supply_rules(order, seen, _classes(rules), later)]


def with_own_relations(name: object, rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules of shapes with relations of their own, for one who asks them.

    Then what an expression asks of a shape may depend on what another asked of this shape.
    """

    def atom(found: Atom) -> Atom:
        return found if found.relation in _SHARED else Atom(f"{found.relation}_{name}", found.terms)

    return [_with_atoms(rule, atom) for rule in rules]


def _with_atoms(rule: Rule, atom: Callable[[Atom], Atom]) -> Rule:
    """Return a rule with other atoms."""

    def atoms(several: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(map(atom, several))

    return replace(
        rule,
        heads=atoms(rule.heads),
        body=atoms(rule.body),
        negated=tuple(each._replace(atoms=atoms(each.atoms)) for each in rule.negated),
        aggregates=tuple(each._replace(atoms=atoms(each.atoms)) for each in rule.aggregates),
    )


def _supply_rules(order: int, seen: Iterable[Atom], classes: Iterable[str], later: Sequence[Atom]) -> list[Rule]:
    """Return the rules for what is seen: asserted triples, those of smaller orders, and instances of named classes."""
    found = list[Rule]()
    for pattern in seen:
        head = (Atom(SEEN, (number(order), *pattern.terms)),)
        bodies = [Atom(DATA, pattern.terms)]
        bodies += [Atom(MADE, (number(smaller), *pattern.terms)) for smaller in range(order)]
        if isinstance(pattern.terms[1], Variable) or pattern.terms[1] == v.RDF_TYPE:
            typed = [Atom(None, (_TRIPLE[0], v.RDF_TYPE, class_)) for class_ in classes]
            for each in typed:
                if can_match(pattern, each) and not any(can_match(made, each) for made in later):
                    found.append(Rule((Atom(SEEN, (number(order), *each.terms)),), (each,), "sh-order", file=SOURCE))
        found += [Rule(head, (body,), "sh-order", file=SOURCE) for body in bodies]
    return list(dict.fromkeys(found))


def pattern_of(head: Atom) -> Atom:
    """Return the pattern of the triples that a head makes: its predicate, and the class of a type."""
    return _generalised_atom(head)


def _made(rule: Rule) -> tuple[Term, Atom]:
    order, *triple = rule.heads[0].terms
    return order, _generalised_atom(Atom(None, tuple(triple)))


def _generalised_atom(atom: Atom) -> Atom:
    _, predicate, object_ = atom.terms
    is_class = predicate == v.RDF_TYPE and not isinstance(object_, Variable)
    known = _TRIPLE[1] if isinstance(predicate, Variable) else predicate
    return Atom(None, (_TRIPLE[0], known, object_ if is_class else _TRIPLE[2]))


def _classes(rules: Iterable[Rule]) -> list[str]:
    """Return the classes that targets and sh:class of the rules name."""
    heads = (
        head
        for rule in rules
        if not rule.body
        for head in rule.heads
        if head.relation and head.relation.startswith("shacl_class")
    )
    return sorted({str(head.terms[0]) for head in heads})
