"""`rules_of_query`: the WHERE part of a SPARQL query of a shape as bodies of rules (SHACL, 5 and appendix A).

    SELECT DISTINCT $this ?value WHERE { $this ex:p ?value . FILTER(...) }
        -> CONSTRUCT { ?this ?path ?value } WHERE { ?this <focus> <shape> . ... }  -> a rule, of which the body is taken

`$this` is bound by the atom for the focus nodes, so a filter may read it wherever it stands. A rule says patterns,
FILTER, NOT EXISTS, BIND, and UNION of groups. `$PATH` is a predicate that stands for the path of the shape. Everything
else is refused by name, and so is what SHACL forbids.

Law: without DISTINCT two solutions are two results. `row` tells them apart: the values of all variables that are not
projected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from kgreason.errors import RuleError, ShapesError
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import Rule, Variable
from kgreason.rules.parser import parse
from kgreason.shapes.vocabulary import NONE

FOCUS, VALUE, PATH = "<urn:kgreason:focus>", "<urn:kgreason:value>", "<urn:kgreason:path>"
"""Predicates that stand for the focus nodes, the value nodes and the path of a shape in the text of a query."""
_OPAQUE = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<[^<>\s]*>', re.DOTALL)
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")
_FORBIDDEN = re.compile(r"\b(MINUS|VALUES|SERVICE)\b", re.IGNORECASE)
_UNSUPPORTED = re.compile(r"\b(SELECT|OPTIONAL|GRAPH|GROUP|HAVING|LIMIT|OFFSET)\b", re.IGNORECASE)
_REBOUND = re.compile(r"\b(?i:AS)\s*[?$](?:this|shapesGraph|currentShape|PATH)\s*\)")
_SELECT = re.compile(
    r"\s*SELECT\s+(DISTINCT\s+|REDUCED\s+)?([^{]*?)\s*(?:WHERE\s*)?\{(.*)\}\s*(?:ORDER\s+BY[^{}]*)?$", re.I | re.S
)
_ASK = re.compile(r"\s*ASK\s*(?:WHERE\s*)?\{(.*)\}\s*$", re.I | re.S)
_AS = re.compile(r"\(\s*(.*?)\s+AS\s+[?$](\w+)\s*\)", re.I | re.S)
_VARIABLE = re.compile(r"[?$](\w+)")


class SelectQuery(NamedTuple):
    """A query of a shape: the group after WHERE, what it projects, and whether its solutions are distinct."""

    where: str
    projected: frozenset[str]
    is_distinct: bool = True


class Body(NamedTuple):
    """The atoms, filters and negations of a rule, with `?x` for $this; and the terms of the result."""

    text: str
    value: str
    path: str | None
    row: str


def select(text: str, where: str) -> SelectQuery:
    """Read a SELECT query. `where` names the constraint in messages. Raises ShapesError."""
    found = _SELECT.fullmatch(_checked(text, where))
    if not found:
        raise ShapesError(f"{where}: sh:select must be a SELECT query without solution modifiers")
    binds = "".join(f" BIND({expression} AS ?{name})" for expression, name in _AS.findall(found[2]))
    names = set(_VARIABLE.findall(_AS.sub(lambda one: f"?{one[2]}", found[2])))
    if found[2].strip() == "*":
        names = set(_VARIABLE.findall(found[3]))
    if "this" not in names:
        raise ShapesError(f"{where}: sh:select must project $this")
    return SelectQuery(f"{found[3]}{binds}", frozenset(names), bool(found[1]))


def ask(text: str, where: str) -> str:
    """Return the group of an ASK query. Raises ShapesError."""
    found = _ASK.fullmatch(_checked(text, where))
    if not found:
        raise ShapesError(f"{where}: sh:ask must be an ASK query")
    return found[1]


def bodies(query: SelectQuery, prefixes: Mapping[str, str], constants: Mapping[str, str], where: str) -> Iterator[Body]:
    """Yield the body of a rule for each choice of the alternatives of UNION in a query.

    `constants` are the terms of variables that are bound before, without those for the nodes. Raises ShapesError.
    """
    text = _replaced(query.where, constants)
    start = f"?this {FOCUS} {FOCUS} . "
    declared = "".join(f"PREFIX {name}: <{space}>\n" for name, space in prefixes.items())
    head = f"?this {'?path' if 'path' in query.projected else NONE} {'?value' if 'value' in query.projected else NONE}"
    for number, (whole, parts) in enumerate(_choices(text)):
        for part in parts:
            _parsed(f"{declared}CONSTRUCT {{ ?this {NONE} {NONE} }} WHERE {{ {start}{part} }}", where)
        rule = _parsed(f"{declared}CONSTRUCT {{ {head} }} WHERE {{ {start}{whole} }}", where)
        yield _body(rule, query, number)


def _parsed(text: str, where: str) -> Rule:
    try:
        (rule,) = parse(text, where, None, syntax="rq").rules
    except RuleError as error:
        raise ShapesError(f"{where}: the query cannot be a rule: {error}") from error
    return rule


def _body(rule: Rule, query: SelectQuery, number: int) -> Body:
    """Return the body of a rule as text, with its own variables renamed, and the terms of the result."""
    _, path, value = rule.heads[0].terms
    others = sorted(
        str(each) for each in rule.bound() if isinstance(each, Variable) and each.name not in query.projected
    )
    names = [_renamed(each) for each in others]
    text = format_rule(rule).partition(" :-\n")[2].rpartition(" .")[0].strip().replace(",\n    ", ", ")
    text = _OPAQUE.sub(lambda found: found[0].replace("?", "\x00"), text)
    text = _VARIABLE.sub(lambda found: _renamed(found[0]), text).replace("\x00", "?")
    row = NONE
    if not query.is_distinct and (names or number):
        row = "?row"
        text += f', BIND(SKOLEM("row {number}", {", ".join(["?x", *names])}) AS ?row)'
    shown = None if path == NONE else _renamed(str(path)) if isinstance(path, Variable) else path
    return Body(text, _renamed(str(value)) if isinstance(value, Variable) else value, shown, row)


def _renamed(variable: str) -> str:
    return "?x" if variable[1:] == "this" else f"?q_{variable[1:]}"


def _checked(text: str, where: str) -> str:
    """Return a query without comments. Raises ShapesError for what SHACL forbids, and for what no rule says."""
    text = _COMMENT.sub("", text)
    plain = _OPAQUE.sub(" ", text)
    if found := _FORBIDDEN.search(plain):
        raise ShapesError(f"{where}: SHACL forbids {found[1].upper()} in a query")
    if _REBOUND.search(plain):
        raise ShapesError(f"{where}: SHACL forbids AS with a variable that is bound before")
    inner = plain.split("{", 1)[-1]
    if found := _UNSUPPORTED.search(inner):
        raise ShapesError(
            f"{where}: {found[1].upper()} is not supported in a query of a shape, because no rule says it"
        )
    if re.search(r"[?$]shapesGraph\b", plain):
        raise ShapesError(f"{where}: $shapesGraph is not supported, because rules do not see the shapes graph")
    return text


def _replaced(text: str, constants: Mapping[str, str]) -> str:
    """Put terms in the place of variables, outside of strings and IRIs."""
    parts, end = list[str](), 0
    for found in [*_OPAQUE.finditer(text), None]:
        stop = found.start() if found else len(text)
        parts.append(_VARIABLE.sub(lambda one: constants.get(one[1], one[0]), text[end:stop]))
        if found:
            parts.append(found[0])
            end = found.end()
    return "".join(parts)


def _choices(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each choice of one alternative of each UNION: the whole group, and the alternatives in it."""
    pieces = _pieces(text)
    if len(pieces) == 1:
        yield text, []
        return
    options: list[list[tuple[str, list[str]]]] = [
        [(whole, [whole, *inner]) for part in texts for whole, inner in _choices(part)]
        if is_group
        else [(texts[0], [])]
        for texts, is_group in pieces
    ]
    for choice in product(*options):
        yield " ".join(whole for whole, _ in choice), [part for _, parts in choice for part in parts]


def _pieces(text: str) -> list[tuple[list[str], bool]]:
    """Split a group into texts and into groups with their alternatives; the groups of NOT EXISTS are texts."""
    hidden = _OPAQUE.sub(lambda found: "x" * len(found[0]), text)
    found: list[tuple[list[str], bool]] = []
    at = 0
    is_next = False
    for start, end in _groups(hidden):
        before = text[at:start]
        is_inner = bool(re.search(r"\bEXISTS\s*$", hidden[at:start], re.I))
        if is_inner:
            continue
        is_next = bool(found) and found[-1][1] and before.strip().upper() == "UNION"
        if is_next:
            found[-1][0].append(text[start + 1 : end])
        else:
            found += [([before], False), ([text[start + 1 : end]], True)]
        at = end + 1
    return [*found, ([text[at:]], False)]


def _groups(hidden: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the brackets of the outermost groups."""
    depth = start = 0
    for place, character in enumerate(hidden):
        if character == "{":
            start = place if depth == 0 else start
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                yield start, place
