"""Expressions in rules: the order in which they are computed, their text, and what may be wrong with them.

    FILTER(expression)              keeps the matches of the body for which the expression is true
    BIND(expression AS ?result)     adds a value to each match; a match is dropped if the expression has an error
    BIND(SKOLEM("x", ...) AS ?b)    adds a blank node to each match, the same one for the same label and arguments

There are two kinds of expressions. The first are SPARQL 1.1 expressions; a rule keeps their tokens, and Oxigraph parses
and evaluates them. They may call IDIV and MOD, which SPARQL lacks (`without_extensions`). The second are calls of
Python
functions, such as `area(?w, ?h)`; the arguments of a call are variables and constants. Every function must be pure: the
same inputs give the same result for as long as a fact depends on it. So NOW, RAND, UUID, STRUUID and BNODE are refused.
SKOLEM is no function of SPARQL, so it cannot stand inside an expression.

Cost: Oxigraph parses the expression of a rule once when the rule is read, 0.1 ms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

import pyoxigraph

from kgreason.errors import QueryError
from kgreason.functions.registry import HOW_TO_PASS, Find, no_function
from kgreason.rules.model import Computed, Rule, Variable
from kgreason.stacks import stack_for, with_stack
from kgreason.terms.quoting import number, string_of_plain_literal
from kgreason.terms.vocabulary import XSD_BOOLEAN, XSD_INTEGER

_Parts: TypeAlias = list[Variable | str]
_IMPURE = frozenset(["NOW", "RAND", "UUID", "STRUUID", "BNODE"])
AGGREGATES = ("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT")
SKOLEM = "SKOLEM"
DIVISIONS = frozenset(["IDIV", "MOD"])
"""The functions that SPARQL lacks: the whole part of a quotient, and the rest (XPath's operators idiv and mod)."""
_MOST_ARGUMENTS = 6
"""A function that takes so many arguments, as CONCAT does, takes any number of them."""
_READ_TWICE = DIVISIONS | frozenset(["!", "REGEX", "REPLACE", "SUBSTR"])
"""Oxigraph's parser reads the brackets after these twice.

The functions have an optional argument, and the parser reads their arguments again if it is not given. `!` has its
brackets, or those of the call after it, read again before a syntax error. IDIV and MOD are written with each argument
more than once.
"""
_DEEPEST = 10
"""The largest number of them in one another. Each doubles the time of the parser, which nothing can stop."""
_OPERATORS = {"AND": "&&", "OR": "||"}
_WORDS = frozenset(["IN", "NOT", "TRUE", "FALSE"])
_NAMES = """
    STR LANG LANGMATCHES DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI CONTAINS
    STRSTARTS STRENDS STRBEFORE STRAFTER YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512
    COALESCE IF STRLANG STRDT SAMETERM ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC REGEX SUBSTR REPLACE
    TRIPLE SUBJECT PREDICATE OBJECT ISTRIPLE LANGDIR HASLANG HASLANGDIR STRLANGDIR
"""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_XSD = "<http://www.w3.org/2001/XMLSchema#"
_CASTS = frozenset(
    f"{_XSD}{name}>"
    for name in (
        "boolean",
        "double",
        "float",
        "integer",
        "decimal",
        "dateTime",
        "string",
        "date",
        "time",
        "duration",
        "yearMonthDuration",
        "dayTimeDuration",
        "gYear",
        "gYearMonth",
        "gMonth",
        "gMonthDay",
        "gDay",
    )
)
_FUNCTIONS = frozenset(_NAMES.split()) | DIVISIONS
"""The functions of SPARQL 1.1, and of SPARQL 1.2 for triple terms and base directions, that Oxigraph evaluates, and
`DIVISIONS`."""
RESERVED = _FUNCTIONS | _WORDS | _IMPURE | frozenset(AGGREGATES) | frozenset(_OPERATORS)
RESERVED |= {SKOLEM, "EXISTS", "AS", "FILTER", "BIND", "DISTINCT", "SEPARATOR", "AGGREGATE"}
"""The words of expressions, in capitals. A Python function has none of these names."""
_TIGHT_BEFORE, _TIGHT_AFTER = frozenset([")", ","]), frozenset(["(", "!"])


def in_order_of_use(known: Iterable[object], computed: Iterable[Computed]) -> tuple[Computed, ...]:
    """Put filters and assignments in an order such that each comes after the assignments whose results it reads.

    Where several may come next, the first of them in `computed` does. `known` are the terms that atoms bind. Filters
    and assignments with an input that nothing binds come last.
    """
    bound = set(known)
    waiting, found = list(computed), list[Computed]()
    while waiting:
        ready = next((each for each in waiting if bound.issuperset(each.inputs())), waiting[0])
        waiting.remove(ready)
        found.append(ready)
        bound.add(ready.result)
    return tuple(found)


def text_of(computed: Computed, texts: Mapping[str, str] | None = None) -> str:
    """Return the text `FILTER(expression)` or `BIND(expression AS ?result)`.

    `texts` maps a constant to the text to write for it; other constants are written as they are.
    """
    inner = expression_text(computed, texts)
    return f"FILTER({inner})" if computed.result is None else f"BIND({inner} AS {computed.result})"


def expression_text(computed: Computed, texts: Mapping[str, str] | None = None) -> str:
    """Return the expression in the syntax of SPARQL. `texts` is as for `text_of`."""
    known = texts or {}
    written = ""
    before = "("
    for part in computed.parts:
        text = known.get(str(part), str(part))
        is_call = text == "(" and (
            (before[0].isalpha() and before != "IN") or (before.endswith(">") and before.startswith("<"))
        )
        is_tight = before in _TIGHT_AFTER or text in _TIGHT_BEFORE or is_call
        written += text if is_tight else f" {text}"
        before = text
    return written


def without_extensions(computed: Computed) -> Computed:
    """Return an expression without the functions that SPARQL lacks: each call is replaced by what it stands for.

    `IDIV(a, b)` is `xsd:integer(a / b)`, and `MOD(a, b)` is `a - xsd:integer(a / b) * b`.

    >>> text_of(without_extensions(Computed(("IDIV", "(", Variable("x"), ",", "2", ")"))))
    'FILTER(<http://www.w3.org/2001/XMLSchema#integer>((?x) / (2)))'
    """
    if DIVISIONS.isdisjoint(computed.parts):
        return computed
    calls: list[tuple[str, list[_Parts]]] = [("", [[]])]
    for part in computed.parts:
        if part == "(":
            before = calls[-1][1][-1]
            calls.append((str(before.pop()) if before and before[-1] in DIVISIONS else "", [[]]))
        elif part == ")":
            name, arguments = calls.pop()
            calls[-1][1][-1] += _call_in_sparql(name, arguments)
        elif part == ",":
            calls[-1][1].append([])
        else:
            calls[-1][1][-1].append(part)
    return computed._replace(parts=tuple(_between_commas(calls[0][1])))


def _call_in_sparql(name: str, arguments: list[_Parts]) -> _Parts:
    if not name:
        return ["(", *_between_commas(arguments), ")"]
    one, other = (["(", *argument, ")"] for argument in arguments)
    quotient = [XSD_INTEGER, "(", *one, "/", *other, ")"]
    return quotient if name == "IDIV" else ["(", *one, "-", *quotient, "*", *other, ")"]


def _between_commas(arguments: list[_Parts]) -> _Parts:
    first, *others = arguments
    return [*first, *chain.from_iterable([",", *argument] for argument in others)]


class Problem(NamedTuple):
    """What is wrong with an expression (`words`), and the index of the wrong part among the expression's parts.

    The index is None if no single part is wrong.
    """

    part: int | None
    words: str


def with_constants(parts: tuple[Variable | str, ...]) -> tuple[Variable | str, ...]:
    """Replace numbers and booleans in the parts of an expression by constants: `5` by `"5"^^xsd:integer`.

    Literals of rdf:PlainLiteral are replaced by strings. A sign after an operand is an operator: `?x -1` is `?x - 1`.
    """
    found: list[Variable | str] = []
    for part in parts:
        word = "" if isinstance(part, Variable) else part
        if word.lower() in ("true", "false"):
            found.append(f'"{word.lower()}"^^{XSD_BOOLEAN}')
        elif _NUMBER.fullmatch(word):
            if word[0] in "+-" and found and _is_operand(found[-1]):
                found.append(word[0])
                word = word[1:]
            found.append(number(word))
        else:
            found.append(string_of_plain_literal(word) if word.startswith('"') else part)
    return tuple(found)


def _is_operand(part: Variable | str) -> bool:
    return isinstance(part, Variable) or part == ")" or is_constant(part)


def is_constant(part: str) -> bool:
    """Whether a part of an expression is an IRI or a literal. Operators and names are not."""
    return part.startswith('"') or (part.startswith("<") and part.endswith(">"))


class Call(NamedTuple):
    """An expression `name(arguments)` that calls a Python function."""

    name: str
    arguments: tuple[Variable | str, ...]


def call_of(computed: Computed) -> Call | None:
    """Return the call if the whole expression is a call of a Python function, else None."""
    name, *others = computed.parts
    if not _is_of_python(name) or others[:1] != ["("] or others[-1] != ")":
        return None
    arguments, commas = others[1:-1:2], others[2:-1:2]
    if set(commas) - {","} or len(commas) != max(0, len(arguments) - 1) or not all(map(_is_term, arguments)):
        return None
    return Call(str(name), tuple(arguments))


def function_names(rules: Iterable[Rule]) -> list[str]:
    """Return the names of the Python functions that rules call, sorted."""
    found = set()
    for rule in rules:
        found |= {aggregate.function for aggregate in rule.aggregates if aggregate.function not in AGGREGATES}
        inside = (computed for aggregate in rule.aggregates for computed in aggregate.computed)
        found |= {call.name for computed in (*rule.expressions(), *inside) if (call := call_of(computed))}
    return sorted(found)


def _is_of_python(part: Variable | str) -> bool:
    """Whether a part of an expression is a name that is neither a function of SPARQL nor a reserved word."""
    return not isinstance(part, Variable) and part[0].isalpha() and part.upper() not in RESERVED


def problem_of(computed: Computed, written: str = "", find: Find | None = no_function) -> Problem | None:
    """Return what is wrong with an expression, or None if nothing is wrong.

    `written` is the text of the user, for messages. `find` finds Python functions by name; with None every call of a
    Python function is accepted.
    """
    if SKOLEM in computed.parts:
        return _skolem_problem(computed)
    if call := call_of(computed):
        return _call_problem(call, find, is_filter=computed.result is None) if find else None
    if find and (names := [place for place, part in enumerate(computed.parts) if _is_of_python(part)]):
        name = str(computed.parts[names[0]])
        if find(name):
            advice = f"bind its result first, with BIND({name}(...) AS ?r)"
            return Problem(names[0], f"a call of the Python function {name} must be the whole expression; {advice}")
    if problem := next(_part_problems(computed.parts), None):
        return problem
    if problem := _arity_problem(computed.parts, _CASTS | DIVISIONS):  # Oxigraph's parser does not count these
        return problem
    if problem := _depth_problem(computed.parts):
        return problem
    inputs = " ".join(map(str, computed.inputs()))
    query = f"SELECT * WHERE {{ VALUES ({inputs}) {{}} FILTER({expression_text(without_extensions(computed))}) }}"
    try:
        with_stack(stack_for(query), lambda: _parse(query))
    except QueryError as error:
        return Problem(None, str(error))
    except SyntaxError:
        if problem := _arity_problem(computed.parts, _FUNCTIONS):
            return problem
        text = written or expression_text(computed)
        return Problem(None, f"{text} is no SPARQL expression: look at its operators and arguments")
    return None


def problem_of_aggregate(name: str, find: Find | None) -> str | None:
    """Return what is wrong with `name` as the function of an aggregate, or None. `find` is as for `problem_of`."""
    if name in AGGREGATES or find is None:
        return None
    if (signature := find(name)) is None:
        return (
            f"{name} is no aggregate; they are {', '.join(AGGREGATES)}, and Python functions of a list that are known: "
            f"{HOW_TO_PASS}"
        )
    if not signature.is_aggregate:
        return f"{signature} is no aggregate, because its parameter is no list, such as values: list[int]"
    return None


def _depth_problem(parts: tuple[Variable | str, ...]) -> Problem | None:
    """Return the problem that too many parts of `_READ_TWICE` are in one another, or None."""
    opened: list[int] = []
    before = 0
    for index, part in enumerate(parts):
        if part == "(":
            opened.append(before)
            if sum(opened) > _DEEPEST:
                names = ", ".join(sorted(_READ_TWICE))
                advice = "bind the result of the inner ones first, with BIND"
                return Problem(index - 1, f"more than {_DEEPEST} of {names} are in one another; {advice}")
        elif part == ")" and opened:
            opened.pop()
        if part in _READ_TWICE:
            before += 1
        elif not str(part)[0].isalpha():  # `!` counts for the call after it
            before = 0
    return None


def _arity_problem(parts: tuple[Variable | str, ...], functions: Collection[str]) -> Problem | None:
    """Return the problem that one of `functions` has a wrong number of arguments, or None if none has."""
    for index, name in enumerate(parts[:-1]):
        if isinstance(name, Variable) or name not in functions or parts[index + 1] != "(":
            continue
        depth = commas = 0
        for end in range(index + 1, len(parts)):
            depth += (parts[end] == "(") - (parts[end] == ")")
            commas += depth == 1 and parts[end] == ","
            if not depth:
                break
        given = commas + (end > index + 2)
        if given not in (taken := _arities(name)) and _MOST_ARGUMENTS not in taken:
            return Problem(index, _wrong_number_message(name, taken, given))
    return None


def _wrong_number_message(function: object, taken: Sequence[int], given: int) -> str:
    word, are = "argument" if taken == (1,) else "arguments", "is" if given == 1 else "are"
    return f"{function} takes {' or '.join(map(str, taken))} {word}, and {given} {are} given"


@cache
def _arities(name: str) -> tuple[int, ...]:
    """Return the numbers of arguments, up to `_MOST_ARGUMENTS`, that a function takes, as Oxigraph's parser has it."""
    if name in _CASTS:
        return (1,)
    if name in DIVISIONS:
        return (2,)
    return tuple(count for count in range(_MOST_ARGUMENTS + 1) if _parses(f"{name}({', '.join(['1'] * count)})"))


def _parses(expression: str) -> bool:
    try:
        _parse(f"SELECT ({expression} AS ?result) WHERE {{}}")
    except SyntaxError:
        return False
    return True


def _parse(query: str) -> None:
    pyoxigraph.Store().query(query)


def is_skolem(computed: Computed) -> bool:
    """Whether an expression is `SKOLEM("label", ...)`."""
    return computed.parts[0] == SKOLEM


def skolem_terms(computed: Computed) -> tuple[Variable | str, ...]:
    """Return the label and the arguments of `SKOLEM("label", ...)`."""
    return computed.parts[2:-1:2]


def skolem_of(terms: Iterable[Variable | str], result: Variable | None) -> Computed:
    """Return `BIND(SKOLEM(terms) AS result)`. The first term is the label. The inverse of `skolem_terms`."""
    label, *arguments = terms
    return Computed((SKOLEM, "(", label, *chain.from_iterable((",", each) for each in arguments), ")"), result)


def _skolem_problem(computed: Computed) -> Problem | None:
    """Return what is wrong with an expression that contains SKOLEM, or None if nothing is wrong."""
    place = computed.parts.index(SKOLEM)
    if place or computed.result is None or computed.parts[1:2] != ("(",) or computed.parts[-1] != ")":
        return Problem(place, 'SKOLEM is the whole expression of a BIND: BIND(SKOLEM("label", ?x) AS ?b)')
    terms, commas = skolem_terms(computed), computed.parts[3:-1:2]
    if not terms or not str(terms[0]).startswith('"'):
        return Problem(place, 'SKOLEM begins with a label in quotation marks: SKOLEM("label", ?x)')
    if set(commas) - {","} or len(commas) >= len(terms) or not all(map(_is_term, terms)):
        return Problem(place, "the arguments of SKOLEM are variables and constants, with commas between them")
    return None


def _is_term(part: Variable | str) -> bool:
    if isinstance(part, Variable) or is_constant(part):
        return True
    return part.lower() in ("true", "false") or _NUMBER.fullmatch(part) is not None


def _call_problem(call: Call, find: Find, *, is_filter: bool) -> Problem | None:
    """Return what is wrong with the call of a Python function, or None. `find` returns the signature of a function.

    `is_filter` says that the call is inside FILTER.
    """
    name, given, signature = call.name, len(call.arguments), find(call.name)
    if signature is None:
        return Problem(0, f"{name} is no function of SPARQL, and no Python function that is known: {HOW_TO_PASS}")
    if signature.is_aggregate:
        example = f"AGGREGATE([?x, :p, ?y] ON ?x BIND {name}(?y) AS ?n)"
        return Problem(0, f"{signature} takes the values of a group: write {example}")
    if given != len(signature.parameters):
        return Problem(0, _wrong_number_message(signature, (len(signature.parameters),), given))
    if is_filter and (signature.has_many or signature.result != ("bool",)):
        return Problem(0, f"FILTER needs a function that gives bool; {signature} does not")
    return None


def _part_problems(parts: tuple[Variable | str, ...]) -> Iterator[Problem]:
    """Yield a problem for each word or sign that is wrong by itself, in the order of the expression."""
    for index, (part, following) in enumerate(pairwise((*parts, ""))):
        if isinstance(part, Variable):
            continue
        if part.startswith("<") and len(part) > 2 and following == "(" and part not in _CASTS:
            yield Problem(index, f"{part} is no function: the only functions with an IRI are casts such as xsd:integer")
        if part == following == "=":
            yield Problem(index + 1, "SPARQL compares with a single =")
        if part[0].isalpha() and (words := _word_problem(part, str(following))):
            yield Problem(index, words)


def _word_problem(name: str, following: str) -> str | None:
    """Return what is wrong with the word `name` of an expression, or None. `following` is the part after the word."""
    if name in _OPERATORS:
        return f"{name} is no operator of SPARQL: write {_OPERATORS[name]}"
    if name == "EXISTS" or (name == "NOT" and following == "EXISTS"):
        return "EXISTS is not for expressions; write NOT EXISTS ?e IN (...) without FILTER"
    if name == "NOT" and following != "IN":
        return "NOT is no operator of SPARQL: write !, as in !(?x > 3)"
    if name in _IMPURE:
        return f"{name}() may give another result each time, so no rule can use it"
    if name in AGGREGATES:
        example = f"AGGREGATE([?x, :p, ?y] ON ?x BIND {name}(?y) AS ?n)"
        return f"{name} reads many rows, but an expression reads one row: write {example}"
    return None if name.upper() in _FUNCTIONS | _WORDS else f"{name} is no function of SPARQL"
