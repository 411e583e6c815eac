"""`read_query`: read a SPARQL CONSTRUCT query as a rule.

    CONSTRUCT { ?x :uncle ?z }                          RULE { ?x :uncle ?z }
    WHERE { ?x :parent ?y . ?y :brother ?z              WHERE { ?x :parent ?y . ?y :brother ?z
            FILTER NOT EXISTS { ?z a :Dead } }                  NOT { ?z a :Dead } }

A filter of a query holds for its whole group, wherever the filter stands. So filters come last in the rule.

If a BIND fails for a row, a query keeps the row, without a value for the variable. A rule drops the row. A query for
which this makes a difference is refused:

- A triple pattern reads the value.
- Some triples of the head need the value and others do not: the query would still make the others.
- No triple of the head needs the value, but FILTER NOT EXISTS reads it or BOUND asks for it.

If no triple of the head needs the value, the BIND is removed; its expression replaces the variable in FILTERs and other
BINDs. There is one exception: such a BIND stays if a FILTER or another BIND reads its value, and one of the two calls a
Python function. Then a row for which the function has no result is dropped.

Cost: that of reading a rule.
"""

from __future__ import annotations

from dataclasses import replace

from kgreason.rules.expressions import call_of
from kgreason.rules.model import Computed, Variable
from kgreason.rules.program import Program
from kgreason.rules.srl.abstract_syntax import (
    Absent,
    AbstractRule,
    Assignment,
    Element,
    Filter,
    Pattern,
    variables_mentioned,
    variables_of_triple,
)
from kgreason.rules.srl.names import Names
from kgreason.rules.srl.reader import RuleReader, declare
from kgreason.rules.srl.syntax import BaseLine, PrefixLine, RuleText, VersionLine, query
from kgreason.rules.srl.translation import Translation


def read_query(names: Names) -> Program:
    """Read a CONSTRUCT query, the text of `names`. Raises RuleSyntaxError and UnsafeRuleError."""
    reader, translation = RuleReader(names, "BIND"), Translation("rq")
    for statement in query(names.text, names.source):
        if isinstance(statement, (BaseLine, PrefixLine, VersionLine)):
            declare(statement, names)
        elif isinstance(statement, RuleText):
            if not statement.head:
                names.fail(statement.start, "the query has no triples to construct")
            translation.rule(_without_lost_binds(reader.rule(statement), reader))
    return Program(tuple(translation.rules()), names.prefixes)


def _without_lost_binds(rule: AbstractRule, reader: RuleReader) -> AbstractRule:
    """Return the rule without the BINDs whose results no head needs; their expressions replace these results.

    If a BIND fails for a row, a query keeps the row and a rule drops it. If this makes a difference, UnsafeRuleError is
    raised. `reader` makes the message.
    """
    body = list(rule.body)
    for assignment in [element for element in reversed(rule.body) if isinstance(element, Assignment)]:
        result = assignment.computed.result
        assert result is not None
        _check_readers(rule, body, assignment, reader)
        needing = [pattern for pattern in rule.head if result in _needed_variables(pattern, body)]
        if not needing:
            for element in body:
                if isinstance(element, (Filter, Assignment)) and _asks_for_value(element.computed, result):
                    reader.fail_unsafe(
                        rule, element, f"a rule cannot evaluate BOUND({result}): it has no row without {result}"
                    )
            if _is_of_call(assignment, body):
                continue
            body.remove(assignment)
            body = [_inline(element, assignment.computed) for element in body]
        elif len(needing) < len(rule.head):
            reader.fail_unsafe(
                rule,
                assignment,
                f"if this BIND fails, the query makes the triples without {result}, but a rule makes none; "
                "write two queries",
            )
    return replace(rule, body=tuple(body))


def _check_readers(rule: AbstractRule, body: list[Element], assignment: Assignment, reader: RuleReader) -> None:
    """Raise UnsafeRuleError if a triple pattern of `body` reads the result of the BIND `assignment`.

    A NOT that reads the result is an error as well, unless a head needs the result. `reader` makes the message.
    """
    result = assignment.computed.result
    is_needed = any(result in _needed_variables(pattern, body) for pattern in rule.head)
    for element in body:
        is_negation = isinstance(element, Absent) and not is_needed
        if result in set(variables_mentioned([element] if isinstance(element, Pattern) or is_negation else [])):
            reader.fail_unsafe(
                rule, element, f"{result} is the result of a BIND, which may fail; only a FILTER can read {result}"
            )


def _needed_variables(pattern: Pattern, body: list[Element]) -> set[Variable]:
    """Return the variables of `pattern`, a triple of the head, and those from which BINDs of `body` compute them."""
    needed = set(variables_of_triple(pattern.triple))
    for element in reversed(body):
        if isinstance(element, Assignment) and element.computed.result in needed:
            needed.update(element.computed.inputs())
    return needed


def _is_of_call(assignment: Assignment, body: list[Element]) -> bool:
    """Whether a FILTER or BIND reads the value of the BIND `assignment`, and one of them calls a Python function."""
    result = assignment.computed.result
    found = (element.computed for element in body if isinstance(element, (Filter, Assignment)))
    readers = [computed for computed in found if result in computed.inputs()]
    return bool(readers) and any(map(call_of, [assignment.computed, *readers]))


def _asks_for_value(computed: Computed, result: Variable) -> bool:
    parts = computed.parts
    return any(parts[place : place + 3] == ("BOUND", "(", result) for place in range(len(parts)))


def _inline(element: Element, assigned: Computed) -> Element:
    """Return an element of the body with the expression of the BIND `assigned` in place of its result.

    Only filters and assignments are changed.
    """
    if not isinstance(element, (Filter, Assignment)):
        return element
    parts = list[Variable | str]()
    for part in element.computed.parts:
        parts += ["(", *assigned.parts, ")"] if part == assigned.result else [part]
    return element._replace(computed=element.computed._replace(parts=tuple(parts)))
