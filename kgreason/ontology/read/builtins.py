"""The built-ins of SWRL (submission of 21 May 2004, section 8) as expressions of rules.

    swrlb:greaterThan(?x, 5)        FILTER(?x > 5)              every argument is an input
    swrlb:add(?z, ?x, 1)            BIND(?x + 1 AS ?z)          the first argument is the result; no other atom binds it
                                    FILTER(?z = ?x + 1)         another atom binds the result, or it is a constant
    swrlb:date(?d, ?y, ?m, 1)       BIND(YEAR(?d) AS ?y), ...   the result is known: its parts are the outputs

Each built-in has a template: an expression of SPARQL, or a call of a function in `kgreason.functions.builtins`, where
`{0}` stands for the first argument of the atom, `{1}` for the second. SPARQL's operators have the meaning of the
operators of XPath, to which the submission refers. A built-in with arguments of a wrong type does not hold. Three
differences come from SPARQL: operators for numbers also take dates and durations, a comparison of values without an
order never holds, and strings with a language tag are strings.

Law: an atom holds for some values if its FILTER is true for them, or its BIND computes the value of the result. Cost:
for each atom a look-up of the template, and a step for each token of the template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kgreason.functions.builtins import PREFIX
from kgreason.rules.expressions import with_constants
from kgreason.rules.model import Computed, Constant, Term, Variable
from kgreason.terms import vocabulary as v

_TOKEN = re.compile(r"\{\d\}|\d+\.\d+|\w+|<[^\s>]+>|\"[^\"]*\"|!=|<=|>=|&&|\S")

_QUOTIENT = "IF({1} = 0 && {2} != 0, {1} * {2}, {1} / {2})"
"""Oxigraph 0.5 takes `0 / 2.5` for an error, so zero is divided by hand."""

TESTS = {
    "notEqual": "{0} != {1}",
    "lessThan": "{0} < {1}",
    "lessThanOrEqual": "{0} <= {1}",
    "greaterThan": "{0} > {1}",
    "greaterThanOrEqual": "{0} >= {1}",
    "stringEqualIgnoreCase": "LCASE(STR({0})) = LCASE(STR({1}))",
    "contains": "CONTAINS({0}, {1})",
    "containsIgnoreCase": "CONTAINS(LCASE({0}), LCASE({1}))",
    "startsWith": "STRSTARTS({0}, {1})",
    "endsWith": "STRENDS({0}, {1})",
    "matches": "REGEX({0}, {1})",
}
"""Built-ins whose arguments are all inputs."""

RESULTS = {
    "equal": ("{1}",),
    "subtract": ("{1} - {2}",),
    "divide": (_QUOTIENT,),
    "integerDivide": (f"{v.XSD_INTEGER}({_QUOTIENT})",),
    "mod": (f"{{1}} - {v.XSD_INTEGER}({_QUOTIENT}) * {{2}}",),
    "pow": (f"{PREFIX}pow({{1}}, {{2}})",),
    "sin": (f"{PREFIX}sin({{1}})",),
    "cos": (f"{PREFIX}cos({{1}})",),
    "tan": (f"{PREFIX}tan({{1}})",),
    "translate": (f"{PREFIX}translate({{1}}, {{2}}, {{3}})",),
    "tokenize": (f"{PREFIX}tokenize({{1}}, {{2}})",),
    "unaryPlus": ("+ {1}",),
    "unaryMinus": ("- {1}",),
    "abs": ("ABS({1})",),
    "ceiling": ("CEIL({1})",),
    "floor": ("FLOOR({1})",),
    "round": ("ROUND({1})",),
    "roundHalfToEven": ("IF(ABS({1} - FLOOR({1})) = 0.5, 2 * ROUND({1} / 2), ROUND({1}))",),
    "booleanNot": (f"! {v.XSD_BOOLEAN}({{1}})",),
    "stringLength": ("STRLEN({1})",),
    "normalizeSpace": ('REPLACE(REPLACE({1}, "[ \\t\\n\\r]+", " "), "^ | $", "")',),
    "upperCase": ("UCASE({1})",),
    "lowerCase": ("LCASE({1})",),
    "substring": ("SUBSTR({1}, {2})", "SUBSTR({1}, {2}, {3})"),
    "substringBefore": ("STRBEFORE({1}, {2})",),
    "substringAfter": ("STRAFTER({1}, {2})",),
    "replace": ("REPLACE({1}, {2}, {3})",),
    "subtractDates": ("{1} - {2}",),
    "subtractTimes": ("{1} - {2}",),
    "subtractDateTimesYieldingDayTimeDuration": ("{1} - {2}",),
    "subtractYearMonthDurations": ("{1} - {2}",),
    "subtractDayTimeDurations": ("{1} - {2}",),
    "addYearMonthDurationToDateTime": ("{1} + {2}",),
    "addDayTimeDurationToDateTime": ("{1} + {2}",),
    "subtractYearMonthDurationFromDateTime": ("{1} - {2}",),
    "subtractDayTimeDurationFromDateTime": ("{1} - {2}",),
    "addYearMonthDurationToDate": ("{1} + {2}",),
    "addDayTimeDurationToDate": ("{1} + {2}",),
    "subtractYearMonthDurationFromDate": ("{1} - {2}",),
    "subtractDayTimeDurationFromDate": ("{1} - {2}",),
    "addDayTimeDurationToTime": ("{1} + {2}",),
    "subtractDayTimeDurationFromTime": ("{1} - {2}",),
    "yearMonthDuration": (f'{v.XSD_YEAR_MONTH_DURATION}(CONCAT("P", STR({{1}}), "Y", STR({{2}}), "M"))',),
    "dayTimeDuration": (
        f'{v.XSD_DAY_TIME_DURATION}(CONCAT("P", STR({{1}}), "DT", STR({{2}}), "H", STR({{3}}), "M", STR({{4}}), "S"))',
    ),
}
"""Built-ins whose first argument is the result; one template for each number of arguments."""

JOINED = {
    "add": "+",
    "multiply": "*",
    "addYearMonthDurations": "+",
    "addDayTimeDurations": "+",
    "stringConcat": ",",
}
"""Built-ins with a result and two or more inputs, and what stands between the inputs."""

_DATE_PARTS, _TIME_PARTS = ("YEAR", "MONTH", "DAY"), ("HOURS", "MINUTES", "SECONDS")
PARTS = {
    "date": (v.XSD_DATE, (*_DATE_PARTS, "TZ")),
    "time": (v.XSD_TIME, (*_TIME_PARTS, "TZ")),
    "dateTime": (v.XSD_DATE_TIME, (*_DATE_PARTS, *_TIME_PARTS, "TZ")),
}
"""Built-ins with a result that has parts: its datatype and the functions that give its parts. TZ may be left out."""
_BEFORE = {"MONTH": "-", "DAY": "-", "HOURS": "T", "MINUTES": ":", "SECONDS": ":", "TZ": ""}


class BuiltIn(NamedTuple):
    """An atom of a SWRL rule that calls a built-in: its node, the name of the built-in (an IRI), the arguments."""

    node: Constant
    name: Constant
    arguments: tuple[Term, ...]


class BuiltInError(Exception):
    """Raised for a built-in atom that cannot be evaluated. `node` is the atom."""

    def __init__(self, atom: BuiltIn, problem: str) -> None:
        self.node = atom.node
        super().__init__(f"{short_name(atom.name)} {problem}")


def compute(atoms: Sequence[BuiltIn], bound: set[Term], names: Mapping[Variable, Constant]) -> tuple[Computed, ...]:
    """Turn the built-in atoms of a body into expressions. An expression comes after those whose results it reads.

    `bound` has the terms of the other atoms of the body, `names` the nodes of the variables, for messages. Raises
    BuiltInError for an atom with an unknown built-in or wrong arguments, and for one with an input that no atom binds.
    """
    found: list[Computed] = []
    known, waiting = {term for term in bound if isinstance(term, Variable)}, list(atoms)
    for atom in atoms:
        _check_arguments(atom)
    while waiting:
        ready = next(((atom, parts) for atom in waiting if (parts := _expressions(atom, known)) is not None), None)
        if ready is None:
            name = names[_first_unbound(waiting[0], known)]
            raise BuiltInError(waiting[0], f"reads the variable {name}, which no atom of the body binds")
        atom, expressions = ready
        waiting.remove(atom)
        found += expressions
        known |= {each.result for each in expressions if each.result is not None}
    return tuple(found)


def short_name(name: Constant) -> str:
    """Return the name of a built-in for messages, such as `swrlb:add`."""
    return f"swrlb:{name[len(v.SWRLB) + 1 : -1]}" if name.startswith(f"<{v.SWRLB}") else name


def _check_arguments(atom: BuiltIn) -> None:
    """Raise BuiltInError for a built-in that is not known, and for a wrong number or kind of arguments."""
    name, count = _local_name(atom), len(atom.arguments)
    if name in TESTS:
        allowed = [2]
    elif name in RESULTS:
        allowed = [max(map(int, re.findall(r"\{(\d)\}", template))) + 1 for template in RESULTS[name]]
    elif name in PARTS:
        allowed = [len(PARTS[name][1]), 1 + len(PARTS[name][1])]
    elif name in JOINED:
        allowed = [max(3, count)]
    else:
        raise BuiltInError(atom, "is not supported")
    if count not in allowed:
        wanted = "at least 3" if name in JOINED else " or ".join(map(str, allowed))
        raise BuiltInError(atom, f"has {count} {'argument' if count == 1 else 'arguments'} instead of {wanted}")
    for argument in atom.arguments:
        if not isinstance(argument, Variable) and argument.startswith(("_:", "<<(")):
            raise BuiltInError(atom, f"has the argument {argument}, which is neither a variable, an IRI nor a literal")


def _local_name(atom: BuiltIn) -> str:
    return atom.name[len(v.SWRLB) + 1 : -1] if atom.name.startswith(f"<{v.SWRLB}") else ""


def _expressions(atom: BuiltIn, known: set[Variable]) -> list[Computed] | None:
    """Turn a built-in atom into expressions. Returns None if one of its inputs is not in `known`."""
    name, arguments = _local_name(atom), atom.arguments
    is_free = [isinstance(term, Variable) and term not in known for term in arguments]
    if name in TESTS:
        return None if any(is_free) else [Computed(_fill_template(TESTS[name], arguments))]
    if name == "equal" and is_free == [False, True]:
        arguments, is_free = arguments[::-1], is_free[::-1]
    if name in PARTS and not is_free[0]:
        return list(_expressions_of_parts(atom, known))
    if any(is_free[1:]):
        return None
    parts = _fill_template(_template(name, len(arguments)), arguments)
    if str(parts[0]).startswith(PREFIX) and not is_free[0]:
        made = Variable(f"made{len(known)}")  # a call is the whole expression
        return [Computed(parts, made), Computed((arguments[0], "=", made))]
    return [_assignment(parts, arguments[0], is_free=is_free[0])]


def _assignment(parts: tuple[Variable | str, ...], result: Term, *, is_free: bool) -> Computed:
    """Return `BIND(parts AS result)` if `is_free`, else `FILTER(result = parts)`, which compares known values."""
    if is_free:
        assert isinstance(result, Variable)
        return Computed(parts, result)
    return Computed((result, "=", *parts))  # operators of templates bind more tightly than =


def _expressions_of_parts(atom: BuiltIn, known: set[Variable]) -> Iterator[Computed]:
    """Yield the expressions for an atom whose date or time is known, and whose other arguments are its parts.

    A part that has no value yet gets one; any other part is compared. The atom does not hold if the value is not of the
    datatype that the built-in is about, as an xsd:dateTime in swrlb:date.
    """
    datatype, functions = PARTS[_local_name(atom)]
    whole, *parts = atom.arguments
    yield Computed(_fill_template(f"DATATYPE({{0}}) = {datatype}", (whole,)))
    made = set[Term]()
    for function, part in zip(functions, parts, strict=False):
        is_free = isinstance(part, Variable) and part not in known and part not in made
        yield _assignment(_fill_template(f"{function}({{0}})", (whole,)), part, is_free=is_free)
        made.add(part)


def _template(name: str, count: int) -> str:
    """Return the SPARQL template that computes the result of a built-in with `count` arguments."""
    if name in RESULTS:
        return next(each for each in RESULTS[name] if f"{{{count - 1}}}" in each)
    numbers = range(1, count)
    if name == "stringConcat":
        return f"CONCAT({', '.join(f'STR({{{number}}})' for number in numbers)})"
    if name in JOINED:
        return f" {JOINED[name]} ".join(f"{{{number}}}" for number in numbers)
    datatype, functions = PARTS[name]
    texts = [_digits_template(number, function) for number, function in zip(numbers, functions, strict=False)]
    marks = [f'"{_BEFORE[function]}", ' if _BEFORE.get(function) else "" for function in functions]
    marks[0] = ""
    return f"{datatype}(CONCAT({', '.join(mark + text for mark, text in zip(marks, texts, strict=False))}))"


def _digits_template(number: int, function: str) -> str:
    """Return a SPARQL template that writes argument number `number`, a part of a date, with enough digits.

    A year gets at least four digits, another part two. `function` is the SPARQL function that gives this part.
    """
    text = f"STR({{{number}}})"
    if function == "TZ":
        return text
    if function == "YEAR":
        return f'IF(STRLEN({text}) < 4, SUBSTR(CONCAT("0000", {text}), STRLEN({text}) + 1), {text})'
    return f'IF({{{number}}} < 10, CONCAT("0", {text}), {text})'


def _fill_template(template: str, arguments: Sequence[Term]) -> tuple[Variable | str, ...]:
    """Return the tokens of a template with the arguments in the places `{0}`, `{1}` and so on."""
    tokens = (token for token in _TOKEN.findall(template))
    return with_constants(
        tuple(arguments[int(token[1:-1])] if token[0] == "{" and token != "{" else token for token in tokens)
    )


def _first_unbound(atom: BuiltIn, known: set[Variable]) -> Variable:
    """Return the first input of an atom that is not in `known`."""
    is_test = _local_name(atom) in TESTS
    inputs = atom.arguments if is_test else atom.arguments[1:]
    return next(term for term in inputs if isinstance(term, Variable) and term not in known)
