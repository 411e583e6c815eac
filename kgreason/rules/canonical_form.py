"""`canonical`: the same value for all the ways to write a rule.

Two rules have equal canonical forms exactly if they have the same name and group, and one becomes the other by renaming
variables, reordering atoms and dropping repeated atoms. So if two axioms translate to the same rule, the program has
this rule with weight 2. Only the syntax counts: a body atom stays even if the other atoms imply it.

    body    without repetitions, in the order of atoms that gives the smallest text
    heads   without repetitions, sorted; each NOT of the rule likewise
    names   variables are called v0, v1, ... in the order of their first occurrence in the body

The *text* of an atom has these new names. The best order of the body is built atom by atom: the next atom is the one
with the smallest text. If several atoms have the same smallest text, an order is built with each of them as the next
atom. If several complete orders have the same text, the smallest text of the rest of the rule decides, heads first.

Laws: `canonical(canonical(r)) == canonical(r)`; the canonical form means the same as the rule. At most `_TRIED` partial
orders are kept, as many as there are orders of a body of `_SHORT` atoms (6! = 720). In a longer body, atoms with the
same text are compared by their neighbours (`_marks`); the longer the body is, the fewer orders are kept. If atoms have
equal neighbours as well, their order nearly never matters. If it does, the canonical form still means the same as the
rule, but it may depend on the order in which the atoms of the rule were written.

Cost: 2 to 4 microseconds for a rule with one body atom, 15 to 25 for two or three atoms, 6 milliseconds for six atoms
that are all alike, 0.2 s for 200.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import eq, itemgetter
from typing import Any, NamedTuple, TypeAlias, cast

from kgreason.rules.formatter import format_aggregate
from kgreason.rules.model import Aggregate, Atom, Computed, Not, Rule, Term, Variable
from kgreason.rules.safety import check_safe

_SHORT, _TRIED = 6, 720
_GROUP, _ARGUMENT = "group", "argument"

Reading: TypeAlias = tuple[str, ...]
"""An atom for comparison: its relation ("" for a triple pattern), then its terms, with variables as `?v0`, `?v1`."""

Numbers: TypeAlias = dict[Term, str]
_NAMES = tuple(Variable(f"v{number}") for number in range(8))


class _Order(NamedTuple):
    """An unfinished order of the body atoms.

    `left` are the atoms that have no place yet, each with its mark (`_marks`). `numbers` has the new names of the
    variables that occur in placed atoms.
    """

    left: tuple[tuple[Atom, int], ...]
    numbers: Numbers


def canonical(rule: Rule) -> Rule:
    """Return the canonical form of a rule, with its name, group and sources.

    Raises UnsafeRuleError, but not for a rule with sources: translated rules are safe.

    >>> from kgreason.rules.parser import parse
    >>> one, other = parse("@rule r p(?a) :- q(?a, ?b), r(?b) .  @rule r p(?y) :- r(?x), q(?y, ?x), r(?x) .").rules
    >>> canonical(one) == canonical(other)
    True
    """
    if rule.sources:
        return _canonical(rule)
    if (known := rule.form) is None:  # each edit of rules asks again for all rules of the user
        check_safe(rule)
        known = _canonical(rule)
        object.__setattr__(rule, "form", known)
    return known


def _canonical(rule: Rule) -> Rule:
    if rule.declares:
        return rule
    if len(rule.body) == len(rule.heads) == 1 and rule.is_positive:
        return _canonical_of_one_atom(rule)
    if rule.aggregates:
        return _canonical_with_aggregates(rule)
    is_short = rule.is_positive and len(rule.body) <= _SHORT
    return (_canonical_without_ties(rule) if is_short else None) or _canonical_and_names(rule)[0]


def _canonical_and_names(rule: Rule) -> tuple[Rule, Numbers]:
    """Return the canonical form of a rule without aggregates, and the new names of the rule's variables."""
    body: list[Reading] = []
    atoms = tuple(dict.fromkeys(rule.body))
    marks, tried = [0] * len(atoms), _TRIED
    if len(atoms) > _SHORT:
        marks, tried = _marks(atoms, rule.heads), max(1, _TRIED * _SHORT**2 // len(atoms) ** 2)
    orders = [_Order(tuple(zip(atoms, marks, strict=True)), {})]
    while orders[0].left:
        reading, orders = _extend(orders, tried)
        body.append(reading)
    named = [_readings(rule, order.numbers) for order in orders]
    (heads, computed, negated), numbers = min(
        (((_heads(rule, numbers), computed, _not_texts(rule, numbers)), numbers) for computed, numbers in named),
        key=itemgetter(0),
    )
    same = replace(
        rule,
        heads=tuple(map(_atom, heads)),
        body=tuple(map(_atom, body)),
        negated=tuple(map(_not, negated)),
        computed=tuple(map(_computation, computed)),
    )
    return same, numbers


def _canonical_with_aggregates(rule: Rule) -> Rule:
    """Return the canonical form of a rule with aggregates.

    In the search for the best order of the body, an atom stands for each aggregate. The relation of this atom is the
    text of the aggregate.
    """
    found: dict[str, Aggregate] = {}
    atoms = []
    for aggregate in rule.aggregates:
        same, group = canonical_aggregate(aggregate)
        text = format_aggregate(same, {})
        found[text] = same
        atoms.append(Atom(text, (*group, aggregate.result)))
    plain, numbers = _canonical_and_names(replace(rule, body=(*rule.body, *atoms), aggregates=()))
    return replace(
        plain,
        body=tuple(atom for atom in plain.body if atom.relation not in found),
        aggregates=tuple(
            _rename_for(found[str(atom.relation)], atom, len(numbers)) for atom in plain.body if atom.relation in found
        ),
    )


def _rename_for(aggregate: Aggregate, atom: Atom, known: int) -> Aggregate:
    """Rename the variables of a canonical aggregate for the rule that contains it, and return the aggregate.

    `atom` stands for the aggregate in the rule. Its terms are the new names of the group's variables and of the result.
    The rule uses `known` names, v0, v1, ...; the other variables of the aggregate get other names.
    """
    *group, result = cast("tuple[Variable, ...]", atom.terms)
    names: dict[Term, Variable] = dict(zip((*aggregate.group, aggregate.result), (*group, result), strict=True))
    for variable in aggregate.variables():
        names.setdefault(variable, Variable(f"v{known + len(names)}"))
    return Aggregate(
        tuple(_rename(inner, names) for inner in aggregate.atoms),
        tuple(
            Computed(
                tuple(names[part] if isinstance(part, Variable) else part for part in computed.parts),
                names[computed.result] if computed.result else None,
            )
            for computed in aggregate.computed
        ),
        tuple(group),
        aggregate.function,
        names[aggregate.argument] if aggregate.argument else None,
        result,
        aggregate.is_distinct,
        aggregate.separator,
    )


def canonical_aggregate(aggregate: Aggregate) -> tuple[Aggregate, tuple[Variable, ...]]:
    """Return the canonical form of an aggregate, and the variables of its group as they are called in the rule.

    The canonical form is equal for all ways to write the aggregate. Both results have the variables of the group in the
    same order.
    """
    heads = [Atom(_GROUP, (variable,)) for variable in aggregate.group]
    heads += [Atom(_ARGUMENT, (aggregate.argument,))] if aggregate.argument else []
    same, numbers = _canonical_and_names(Rule(tuple(heads), aggregate.atoms, computed=aggregate.computed))
    names = {text: term for term, text in numbers.items()}
    group = tuple(cast(Variable, head.terms[0]) for head in same.heads if head.relation == _GROUP)
    argument = next((cast(Variable, head.terms[0]) for head in same.heads if head.relation == _ARGUMENT), None)
    found = aggregate._replace(
        atoms=same.body,
        computed=same.computed,
        group=group,
        argument=argument,
        result=Variable(f"v{len(numbers)}"),
    )
    return found, tuple(cast(Variable, names[f"?{variable.name}"]) for variable in group)


def _canonical_of_one_atom(rule: Rule) -> Rule:
    """Return the canonical form of a rule with one head and one body atom. This fast path is the most frequent case."""
    (head,), (atom,) = rule.heads, rule.body
    names: dict[Term, Term] = {}
    for term in atom.terms:
        if isinstance(term, Variable) and term not in names:
            names[term] = _NAMES[len(names)] if len(names) < len(_NAMES) else Variable(f"v{len(names)}")
    if all(map(eq, names, names.values())):
        return rule
    heads, body = (_rename(head, names),), (_rename(atom, names),)
    return Rule(heads, body, rule.name, rule.group, rule.sources, file=rule.file, dialect=rule.dialect, line=rule.line)


def _canonical_without_ties(rule: Rule) -> Rule | None:
    """Return the canonical form of a rule that has atoms only; None if two atoms of the body ever have the same text.

    Without ties there is one order of the body, so there is nothing to search.
    """
    left, body, numbers = list(dict.fromkeys(rule.body)), list[Reading](), Numbers()
    while left:
        readings = [_reading(atom, numbers) for atom in left]
        smallest = min(readings)
        if readings.count(smallest) > 1:
            return None
        atom = left.pop(readings.index(smallest))
        numbers.update(
            (term, text) for term, text in zip(atom.terms, smallest[1:], strict=True) if type(term) is Variable
        )
        body.append(smallest)
    heads, atoms = tuple(map(_atom, _heads(rule, numbers))), tuple(map(_atom, body))
    return Rule(heads, atoms, rule.name, rule.group, rule.sources, file=rule.file, dialect=rule.dialect, line=rule.line)


def _rename(atom: Atom, names: Mapping[Term, Term]) -> Atom:
    return Atom(atom.relation, tuple([names.get(term, term) for term in atom.terms]))


def _extend(orders: list[_Order], tried: int) -> tuple[Reading, list[_Order]]:
    """Extend unfinished orders by the atom with the smallest text. Among equal texts, the smallest mark decides.

    Returns this text, and the extended orders, at most `tried`. An order that has no such atom left is dropped.
    """
    smallest: tuple[Reading, int] = (), 0
    ties: list[tuple[_Order, Atom]] = []
    for order in orders:
        for atom, mark in order.left:
            reading = _reading(atom, order.numbers), mark
            if not ties or reading < smallest:
                smallest, ties = reading, [(order, atom)]
            elif reading == smallest:
                ties.append((order, atom))
    return smallest[0], [_extended_order(order, atom, smallest[0]) for order, atom in ties[:tried]]


def _marks(atoms: Sequence[Atom], heads: Sequence[Atom]) -> list[int]:
    """Return a number for each of the body's `atoms`.

    The numbers depend neither on the names of variables nor on the order of atoms. Two atoms are neighbours if they
    share a variable. Heads count as neighbours, too, but get no numbers. Atoms with equal numbers have equal neighbours
    at every distance. The method is the colour refinement of Weisfeiler and Leman: it ends with the first round that
    finds no new difference.
    """
    every = (*atoms, *dict.fromkeys(heads))
    colours: dict[Term, int] = {term: 0 for atom in every for term in atom.terms if isinstance(term, Variable)}
    count = 0
    while len(set(colours.values())) > count:
        count = len(set(colours.values()))
        seen: dict[Term, list[Any]] = {variable: [] for variable in colours}
        for atom, place in zip(every, _numbers(_sort_keys(every, colours, len(atoms))), strict=True):
            for column, term in enumerate(atom.terms):
                if isinstance(term, Variable):
                    seen[term].append((place, column))
        colours = dict(zip(seen, _numbers([(colours[term], sorted(seen[term])) for term in seen]), strict=True))
    return _numbers(_sort_keys(every, colours, len(atoms)))[: len(atoms)]


def _sort_keys(every: Sequence[Atom], colours: Mapping[Term, int], body: int) -> list[Any]:
    """Return a sort key for each atom of `every`, in which colours stand in place of variables.

    The first `body` atoms are the body, the others are heads. Body atoms sort before heads, variables before constants.
    """
    return [
        (
            number >= body,
            atom.relation or "",
            [(0, colours[term], "") if term in colours else (1, 0, str(term)) for term in atom.terms],
        )
        for number, atom in enumerate(every)
    ]


def _numbers(values: Sequence[Any]) -> list[int]:
    """Return, for each of `values`, the first index at which an equal value stands in the sorted list of the values."""
    ordered = sorted(values)
    places: list[int] = []
    for number, value in enumerate(ordered):
        places.append(places[-1] if number and value == ordered[number - 1] else number)
    return [places[bisect_left(ordered, value)] for value in values]


def _reading(atom: Atom, numbers: Numbers) -> Reading:
    new: Numbers = {}
    texts = [atom.relation or ""]
    for term in atom.terms:
        if isinstance(term, Variable):
            texts.append(numbers.get(term) or new.setdefault(term, f"?v{len(numbers) + len(new)}"))
        else:
            texts.append(term)
    return tuple(texts)


def _extended_order(order: _Order, atom: Atom, reading: Reading) -> _Order:
    numbers = order.numbers | {
        term: text for term, text in zip(atom.terms, reading[1:], strict=True) if isinstance(term, Variable)
    }
    return _Order(tuple(other for other in order.left if other[0] is not atom), numbers)


def _heads(rule: Rule, numbers: Numbers) -> list[Reading]:
    return sorted({_reading(atom, numbers) for atom in rule.heads})


def _readings(rule: Rule, numbers: Numbers) -> tuple[list[Reading], Numbers]:
    """Return the texts of a rule's filters and assignments, without repetitions, and the new names of all variables.

    `numbers` has the new names of the body's variables; the results of assignments get the next names. The texts are
    put in order one by one. The candidates are those whose inputs have new names already. The next one is the filter
    with the smallest text or, if no filter is a candidate, the assignment with the smallest text.
    """
    waiting, found, named = list(dict.fromkeys(rule.computed)), list[Reading](), dict(numbers)
    while waiting:
        ready = [each for each in waiting if all(variable in named for variable in each.inputs())]
        computed = min(ready, key=lambda each: (each.result is not None, _reading_of_computed(each, named)))
        waiting.remove(computed)
        text = _reading_of_computed(computed, named)
        if computed.result is not None:
            named[computed.result] = f"?v{len(named)}"
            text = (*text, named[computed.result])
        found.append(("" if computed.result is None else "=", *text))
    return list(dict.fromkeys(found)), named


def _reading_of_computed(computed: Computed, numbers: Numbers) -> Reading:
    return tuple(numbers[part] if isinstance(part, Variable) else part for part in computed.parts)


def _computation(reading: Reading) -> Computed:
    mark, *texts = reading
    parts = [Variable(text[1:]) if text.startswith("?") else text for text in texts]
    if not mark:
        return Computed(tuple(parts))
    *parts, result = parts
    assert isinstance(result, Variable)
    return Computed(tuple(parts), result)


def canonical_computed(computed: Computed) -> tuple[Computed, tuple[Variable, ...]]:
    """Return the canonical form of an expression, and its input variables as they are called in the rule.

    The canonical form is equal for all ways to name the variables. Its inputs are v0, v1, ... in the order in which
    they occur; the result of BIND has the next name.
    """
    inputs = computed.inputs()
    names = {variable: Variable(f"v{number}") for number, variable in enumerate(inputs)}
    parts = tuple(names[part] if isinstance(part, Variable) else part for part in computed.parts)
    return Computed(parts, None if computed.result is None else Variable(f"v{len(inputs)}")), inputs


class _NotText(NamedTuple):
    """One NOT as text, for comparison: the new names of its local variables, the texts of its atoms and filters."""

    local: Reading
    atoms: tuple[Reading, ...]
    filters: tuple[Reading, ...]


def _not_texts(rule: Rule, numbers: Numbers) -> list[_NotText]:
    """Return each NOT of a rule as text, sorted and without repetitions. `numbers` is as for `_smallest_text`."""
    return sorted({_smallest_text(negated, numbers) for negated in rule.negated})


def _smallest_text(negated: Not, numbers: Numbers) -> _NotText:
    """Return the smallest text of one NOT.

    `numbers` has the new names of the rule's variables. The local variables of the NOT get the next names.
    """
    outer = {term: text for term, text in numbers.items() if term not in negated.local}
    body, filters, _ = _texts_in_order(negated, outer)
    known = set(outer.values())
    texts = dict.fromkeys(text for reading in body for text in reading[1:] if text.startswith("?"))
    return _NotText(tuple(text for text in texts if text not in known), body, filters)


def _texts_in_order(negated: Not, numbers: Numbers) -> tuple[tuple[Reading, ...], tuple[Reading, ...], Numbers]:
    """Put the atoms and filters under a NOT in the order with the smallest text.

    Returns the texts of the atoms, the texts of the filters, and the new names of all variables. `numbers` has the
    variables that have new names before the search; the other variables get the next names.
    """
    body: list[Reading] = []
    orders = [_Order(tuple((atom, 0) for atom in dict.fromkeys(negated.atoms)), numbers)]
    while orders[0].left:
        reading, orders = _extend(orders, _TRIED)
        body.append(reading)
    if not negated.computed:
        return tuple(body), (), orders[0].numbers
    filters, named = min((_filters(negated, order.numbers) for order in orders), key=itemgetter(0))
    return tuple(body), filters, named


def _filters(negated: Not, numbers: Numbers) -> tuple[tuple[Reading, ...], Numbers]:
    """Return the texts of the filters under a NOT, and the new names of all variables.

    `numbers` has the variables that have new names already. The next filter is always the one with the smallest text.
    """
    waiting, found, named = list(dict.fromkeys(negated.computed)), list[Reading](), dict(numbers)
    while waiting:
        reading, computed = min(((_computed_reading(each, named), each) for each in waiting), key=itemgetter(0))
        waiting.remove(computed)
        named |= {part: text for part, text in zip(computed.parts, reading, strict=True) if isinstance(part, Variable)}
        found.append(("", *reading))
    return tuple(found), named


def _computed_reading(computed: Computed, numbers: Numbers) -> Reading:
    """Return the text of a filter, with the new names in `numbers`. Further variables get the next names."""
    return _reading(Atom(None, computed.parts), numbers)[1:]


def canonical_not(negated: Not) -> tuple[Not, tuple[Variable, ...]]:
    """Return the canonical form of a NOT, and those of its variables that the rest of the rule binds.

    The canonical form is equal for all ways to write the NOT. Its variables are v0, v1, ... in the order of its atoms.
    The second result has the variables of `outer_variables()` of the canonical form, as they are called in the rule.
    """
    body, filters, numbers = _texts_in_order(negated, {})
    names = {text: term for term, text in numbers.items()}
    local = tuple(Variable(numbers[variable][1:]) for variable in negated.local)
    same = Not(tuple(map(_atom, body)), tuple(sorted(local)), tuple(map(_computation, filters)))
    return same, tuple(cast(Variable, names[f"?{key.name}"]) for key in same.outer_variables())


def _not(absent: _NotText) -> Not:
    local = tuple(Variable(text[1:]) for text in absent.local)
    return Not(tuple(map(_atom, absent.atoms)), local, tuple(map(_computation, absent.filters)))


def _atom(reading: Reading) -> Atom:
    relation, *texts = reading
    return Atom(relation or None, tuple(Variable(text[1:]) if text.startswith("?") else text for text in texts))
