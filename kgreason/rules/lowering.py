"""`rules_without_not`: replace NOT, expressions and aggregates in rules by atoms of hidden relations.

The rules in the middle replace the rule on the left; the right column has remarks. B is the rest of the body.
`materialize/operators` asserts the facts of `none`, `made` and `value`.

    H :- B, NOT p(?x)           asks(?x) :- B                       the values for which the rule asks
                                H :- B, none(?x)                    the rule reads the values for which p is absent

    H :- B, NOT EXISTS ?z IN (q(?x, ?z), r(?z))
                                asks(?x) :- B
                                some(?x) :- asks(?x), q(?x, ?z), r(?z)       filters under NOT are filters of `some`
                                H :- B, none(?x)

    H :- B, BIND(?x + 1 AS ?y)  asks(?x) :- B                       the inputs of the expression
                                H :- B, made(?x, ?y)                the rule reads the results; FILTER has made(?x)

    H :- B, AGGREGATE(p(?x, ?y), q(?y, ?z) ON ?x BIND SUM(?z) AS ?n)
                                each(?x, ?z, ?y) :- p(?x, ?y), q(?y, ?z)    what is aggregated, by its group
                                H :- B, value(?x, ?n)       the rule reads one value for each group

The name of a hidden relation contains the text of the negation, the expression or the aggregate. So users cannot write
hidden relations. Two rules with the same NOT, expression or aggregate share hidden relations, whatever their variables
are called. Rules derive `asks` and `some`. A commit asserts a fact of `none` while its `asks` fact is present and the
negated fact (or its `some` fact) is absent. So the engine evaluates only rules without NOT, every fact has a stamp and
a support as always, and the `none` fact is a premise in proofs of H.

A row of `each` is one match that counts. Its columns are the variables of the group and the argument. COUNT, SUM, AVG
and GROUP_CONCAT without DISTINCT count repeated values; for them, all other variables inside the brackets are columns
as well. If the aggregate has a single atom with exactly the variables of the columns, it reads the facts of this atom,
and no relation `each` is needed.

If there is just one atom under NOT or inside AGGREGATE, its facts can often be looked up without a rule. Then no
lowered rule contains the atom. But each constant that a user's rule mentions needs a representative if it has equal
terms. So a rule with an empty body derives a fact `names`, only to mention the constants of the atom.

When a fact of `asks` is derived, the fact of `made` with the same inputs is asserted. The fact of `made` is never
retracted: an expression always has the same result for the same inputs.

A Python function may raise an error, which ends the commit. So its calls must not depend on the order in which a rule
is evaluated or written: the rule for `asks` has all atoms of the body, the calls whose results this call needs, and
all expressions of SPARQL that need no further call. A fact `called(inputs)` is asserted for each call, so that no call
is repeated.

Law: if `none` has exactly those values of `asks` for which the negated fact is absent, the closure is that of
stratified negation (Apt, Blair and Walker, *Towards a Theory of Declarative Knowledge*). Cost: the body is evaluated
twice. Each value asked for is a fact of `asks`; it is a fact of `none` as well while the negated fact is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from kgreason.rules.canonical_form import canonical_aggregate, canonical_computed, canonical_not
from kgreason.rules.expressions import call_of, is_skolem, text_of
from kgreason.rules.formatter import format_aggregate, format_not
from kgreason.rules.model import FALSE, Aggregate, Atom, Computed, Not, Rule, Variable, contradiction
from kgreason.rules.patterns import can_match

_ASKS, _SOME, _NAMES, _NONE, _EACH, _CALLED = "asks ", "some ", "names ", "NOT ", "each ", "called "
_MADE = ("FILTER(", "BIND(")
_VALUE = "AGGREGATE("
CHOOSING = frozenset(["MIN", "MAX", "SAMPLE"])
"""The aggregates that choose a value. How often a value occurs matters for the others, unless they say DISTINCT."""


class Negation(NamedTuple):
    """A NOT with the atoms of its hidden relations.

    `asks` has the values that rules ask for. `none` has those of these values that are absent: no fact matches
    `pattern`. The terms of `asks` and `none` are the variables of `pattern`, in the order in which they occur.
    `negated` is the NOT itself, in canonical form.
    """

    pattern: Atom
    asks: Atom
    none: Atom
    negated: Not


@lru_cache(maxsize=4_096)
def negation(negated: Not) -> tuple[Negation, tuple[Variable, ...]]:
    """Return the hidden relations for a NOT, and the rule's variables for the terms of `asks` and `none`.

    The hidden relations are the same for all ways to write the NOT.
    """
    same, keys = canonical_not(negated)
    text, terms = format_not(same, {}), same.outer_variables()
    pattern = same.atoms[0] if _is_looked_up(same) else Atom(_SOME + text, terms)
    return Negation(pattern, Atom(_ASKS + text, terms), Atom(text, terms), same), keys


def negations(rule: Rule) -> list[Negation]:
    """Return the hidden relations for each NOT of a rule."""
    return [negation(negated)[0] for negated in rule.negated]


def rules_without_not(rule: Rule) -> Iterator[Rule]:
    """Yield the positive rules that replace a rule: the rule over hidden atoms, then rules that derive hidden facts."""
    if rule.is_positive:
        yield rule
        return

    def plain(heads: tuple[Atom, ...], body: tuple[Atom, ...]) -> Rule:
        return replace(rule, heads=heads, body=body, negated=(), computed=(), aggregates=())

    heads = tuple(contradiction(rule) if head == FALSE else head for head in rule.heads)
    yield plain(heads, lowered_body(rule))
    for aggregate in rule.aggregates:
        found = aggregation(aggregate)[0]
        if found.is_looked_up:
            yield from _mentioning_rule(rule, found.each, found.value)
        else:
            inner = found.aggregate
            yield from rules_without_not(replace(plain((found.each,), inner.atoms), computed=inner.computed))
    for computed in rule.computed:
        before = _askable_atoms(rule, computed)
        yield plain(
            (_asking_atom(computed),), before if call_of(computed) else _asking_body(rule, before, computed.inputs())
        )
    body = (*rule.body, *aggregate_atoms(rule), *map(result_atom, rule.computed))
    for negated in rule.negated:
        hidden, keys = negation(negated)
        asks = Atom(hidden.asks.relation, keys)
        yield plain((asks,), _asking_body(rule, body, keys))
        if not _is_looked_up(hidden.negated):
            parts = (asks, *negated.atoms)
            for computed in negated.computed:
                yield plain((_asking_atom(computed),), parts)
                parts = (*parts, result_atom(computed))
            yield plain((Atom(hidden.pattern.relation, keys),), parts)
        else:
            yield from _mentioning_rule(rule, hidden.pattern, hidden.none)


def _mentioning_rule(rule: Rule, pattern: Atom, hidden: Atom) -> Iterator[Rule]:
    """Yield a rule whose only purpose is to mention the constants of `pattern`, or nothing if there are none.

    It derives a fact `names`, see the top of this file. `hidden` is the hidden atom for the NOT or aggregate.
    """
    if named := tuple(term for term in pattern.terms if not isinstance(term, Variable)):
        head = Atom(f"{_NAMES}{hidden.relation}", named)
        yield replace(rule, heads=(head,), body=(), negated=(), computed=(), aggregates=())


def _asking_body(rule: Rule, body: tuple[Atom, ...], keys: tuple[Variable, ...]) -> tuple[Atom, ...]:
    """Return the body of the rule that asks for `keys`: those atoms of `body` that `rule` does not derive.

    Without the recursive atoms, a rule asks for all keys at once, instead of some more keys in each round of the
    recursion. It may ask for keys that the recursion never reaches. If the kept atoms do not bind the keys, or if
    their join is a product, the whole `body` is returned. The hidden atom of an expression is kept only if the kept
    atoms before it bind its inputs. Otherwise the results of an expression could ask for more results without an end.
    """
    others: tuple[Atom, ...] = ()
    bound: set[object] = set()
    for atom in body:
        inputs = atom.terms[:-1] if is_bind_result(atom) else atom.terms if is_expression_result(atom) else ()
        if bound.issuperset(inputs) and not any(can_match(head, atom) for head in rule.heads):
            others = (*others, atom)
            bound.update(atom.terms)
    return others if bound.issuperset(keys) and _are_connected(others) else body


def _askable_atoms(rule: Rule, asked: Computed) -> tuple[Atom, ...]:
    """Return the atoms that may stand in the body of the rule that asks for `asked`, an expression of `rule`.

    They are the body atoms, and hidden atoms for aggregates and for the expressions that `asked` needs, directly or
    through others. Hidden atoms for further expressions of SPARQL follow if they need no other calls: for a call of a
    Python function all of them, for an expression of SPARQL those before it. Calls that `asked` does not need are left
    out: otherwise an expression and a call could wait for each other.
    """
    body = (*rule.body, *aggregate_atoms(rule))
    known: set[object] = {term for atom in body for term in atom.terms}
    needed, wanted = list[Computed](), set(asked.inputs()) - known
    for each in reversed(rule.computed):  # an expression is behind those whose results it reads
        if each.result in wanted and each != asked:
            needed.append(each)
            wanted |= set(each.inputs()) - known
    known |= {each.result for each in needed}
    for each in rule.computed:
        if each == asked and not call_of(asked):
            break
        if each not in needed and not call_of(each) and known.issuperset(each.inputs()):
            needed.append(each)
            known.add(each.result)
    return *body, *(result_atom(each) for each in rule.computed if each in needed)


def _are_connected(atoms: tuple[Atom, ...]) -> bool:
    """Whether shared variables lead from each atom to every other atom. If not, the join of the atoms is a product."""
    groups: list[set[Variable]] = []
    for atom in atoms:
        touched = [group for group in groups if group & atom.variables()]
        groups = [group for group in groups if group not in touched] + [atom.variables().union(*touched)]
    return len(groups) <= 1


class Expression(NamedTuple):
    """An expression with the atoms of its hidden relations: `asks` has the inputs, `made` the inputs with the result.

    If the expression has no result for some inputs, `made` has no fact for them. `computed` is the expression in
    canonical form; the terms of the atoms are its variables. `called` has the inputs with which a Python function was
    called; it is None if the expression is no such call.
    """

    asks: Atom
    made: Atom
    computed: Computed
    called: Atom | None = None


@lru_cache(maxsize=4_096)
def lowered_expression(computed: Computed) -> tuple[Expression, tuple[Variable, ...]]:
    """Return the hidden relations for an expression, and its inputs as they are called in the rule.

    The hidden relations are the same for all ways to write the expression.
    """
    same, inputs = canonical_computed(computed)
    text, terms = text_of(same), same.inputs()
    made = terms if same.result is None else (*terms, same.result)
    called = Atom(_CALLED + text, terms) if call_of(same) else None
    return Expression(Atom(_ASKS + text, terms), Atom(text, made), same, called), inputs


def lowered_expressions(rule: Rule) -> list[Expression]:
    """Return the hidden relations for each expression of a rule, also for those inside of its aggregates."""
    inner = [aggregation(aggregate)[0].aggregate.computed for aggregate in rule.aggregates]
    inner += [negated.computed for negated in rule.negated]
    return [lowered_expression(computed)[0] for part in (rule.computed, *inner) for computed in part]


def skolems(rule: Rule) -> list[Expression]:
    """Return the hidden relations for each SKOLEM of a rule."""
    return [function for function in lowered_expressions(rule) if is_skolem(function.computed)]


def skolems_of(expressions: Iterable[Computed]) -> Iterator[Expression]:
    """Yield the hidden relations for each SKOLEM among expressions."""
    return (lowered_expression(computed)[0] for computed in expressions if is_skolem(computed))


def rules_of_results(rule: Rule) -> Iterator[Rule]:
    """Yield a rule for each BIND of `rule`. It derives the facts of `made` again, with representatives as results.

    The rules in the engine work with representatives. The result of an expression may be any member of a clique, and no
    other rule replaces this member by its representative.
    """
    for function in lowered_expressions(rule):
        result = function.computed.result
        if result is not None:
            name = Variable(f"{result.name}_rep")
            *inputs, _ = function.made.terms
            head = function.made._replace(terms=(*inputs, name))
            body = function.made, Atom("eq_rep", (result, name))
            yield replace(rule, heads=(head,), body=body, negated=(), computed=(), aggregates=())


class Aggregation(NamedTuple):
    """An aggregate with the atoms of its hidden relations: `each` has the rows to aggregate, `value` the results.

    A fact of `value` has the group and its result; a group without a result has no fact. `keys` are the variables of
    `each`: the group, then the argument, if there is one, then others. `aggregate` is in canonical form.
    """

    aggregate: Aggregate
    each: Atom
    keys: tuple[Variable, ...]
    value: Atom

    @property
    def is_looked_up(self) -> bool:
        """Whether `each` is the only atom inside the aggregate. Then no rule has to derive facts of `each`."""
        return self.each in self.aggregate.atoms


@lru_cache(maxsize=4_096)
def aggregation(aggregate: Aggregate) -> tuple[Aggregation, tuple[Variable, ...]]:
    """Return the hidden relations for an aggregate, and the variables of its group as they are called in the rule.

    The hidden relations are the same for all ways to write the aggregate.
    """
    same, group = canonical_aggregate(aggregate)
    keys = dict.fromkeys((*same.group, *([same.argument] if same.argument else ())))
    if same.function not in CHOOSING and not same.is_distinct:
        keys |= dict.fromkeys(same.variables())
    text = format_aggregate(same, {})
    (first, *others) = same.atoms
    is_alone = not others and not same.computed and first.variables() == keys.keys() and not first.is_link
    each = first if is_alone else Atom(_EACH + text, tuple(keys))
    return Aggregation(same, each, tuple(keys), Atom(text, (*same.group, same.result))), group


def aggregations(rule: Rule) -> list[Aggregation]:
    """Return the hidden relations for each aggregate of a rule."""
    return [aggregation(aggregate)[0] for aggregate in rule.aggregates]


Waiting = Negation | Aggregation | Expression
"""A part of a body that is evaluated only after all facts that the part reads."""
Closed = Waiting | Rule
"""What has closed dependencies: a negation, an aggregate, a SKOLEM, or a rule that assigns."""


def is_closed(rule: Rule) -> bool:
    """Whether a rule is of SPARQL-RL and assigns a value."""
    return rule.dialect == "srl" and rule.has_assignment()


def closed_parts(rule: Rule, *, is_equal: bool) -> list[Closed]:
    """Return what has closed dependencies in a rule (`strata`). SKOLEM is among it if `is_equal`."""
    found: list[Closed] = [*negations(rule), *aggregations(rule)]
    found += skolems(rule) if is_equal else ()
    return [*found, rule] if is_closed(rule) else found


def aggregate_atoms(rule: Rule) -> Iterator[Atom]:
    """Yield the hidden atoms that a rule reads in the place of its aggregates."""
    for aggregate in rule.aggregates:
        found, group = aggregation(aggregate)
        yield Atom(found.value.relation, (*group, aggregate.result))


def _asking_atom(computed: Computed) -> Atom:
    """Return the hidden atom by which a rule asks for an expression, with the variables of the rule."""
    function, inputs = lowered_expression(computed)
    return Atom(function.asks.relation, inputs)


def result_atom(computed: Computed) -> Atom:
    """Return the hidden atom that a rule reads in the place of an expression."""
    function, inputs = lowered_expression(computed)
    return Atom(function.made.relation, inputs if computed.result is None else (*inputs, computed.result))


def lowered_body(rule: Rule) -> tuple[Atom, ...]:
    """Return the body of a rule as the engine has it: its atoms, then hidden atoms for its operators."""
    return *rule.body, *aggregate_atoms(rule), *map(result_atom, rule.computed), *absence_atoms(rule)


def absence_atoms(rule: Rule) -> Iterator[Atom]:
    """Yield the hidden atoms that replace each NOT in the body of a rule."""
    for negated in rule.negated:
        hidden, keys = negation(negated)
        yield Atom(hidden.none.relation, keys)


def is_operator_result(fact: Atom) -> bool:
    """Whether a fact is the result of a NOT, an expression or an aggregate. kgreason itself asserts such facts."""
    return is_absence(fact) or is_expression_result(fact) or is_aggregate_value(fact)


def is_aggregate_input(fact: Atom) -> bool:
    """Whether a fact belongs to a hidden relation `each`, which has the rows that an aggregate reads."""
    return _has_relation_prefix(fact, _EACH)


def is_aggregate_value(fact: Atom) -> bool:
    """Whether a fact says which value an aggregate has for a group; see `parser.aggregate_of`."""
    return _has_relation_prefix(fact, _VALUE)


def is_bind_result(fact: Atom) -> bool:
    """Whether a fact says which result a BIND has."""
    return _has_relation_prefix(fact, "BIND(")


def is_expression_result(fact: Atom) -> bool:
    """Whether a fact says which result a BIND has, or that a FILTER is true; see `parser.computed`."""
    return _has_relation_prefix(fact, _MADE)


def is_absence(fact: Atom) -> bool:
    """Whether a fact says that something is absent; see `parser.negation_of`."""
    return _has_relation_prefix(fact, _NONE)


def _is_looked_up(negated: Not) -> bool:
    """Whether the facts of one atom decide a NOT. Such a NOT needs no hidden relation `some`.

    A NOT of an owl:sameAs triple does need `some`: equal terms are in one clique, and most pairs of its members have no
    fact.
    """
    if negated.local or negated.computed or len(negated.atoms) != 1:
        return False
    return not negated.atoms[0].is_link


def _has_relation_prefix(fact: Atom, start: str | tuple[str, ...]) -> bool:
    """Whether a fact has a relation, and the name of the relation begins with `start`. A triple has no relation."""
    return fact.relation is not None and fact.relation.startswith(start)
