"""OWL 2 Profiles, section 4.3, Table 8: the semantics of datatypes. One function for each row, named after it.

The table speaks of all literals; these rows of those that are objects of the graph, and of the datatypes that are terms
of it. dt-diff says that two literals differ only where the graph has them for the same. dt-type1 is noise. A literal
whose lexical form is none of its datatype's is wrong wherever it stands (dt-not-type: it is not even in its own).

Values are worked out by hand here, for the handful of datatypes of `MEMBERS`; other literals are themselves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

from tests.oracle.graph import Contradiction, Graph, Triple
from tests.oracle.vocabulary import DATATYPE, DIFFERENT_FROM, RDF, RDFS, SAME_AS, TYPE, XSD

Value: TypeAlias = tuple[str, Any]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_LITERAL = re.compile(r'"(?P<lexical>.*)"(\^\^(?P<datatype><.*>)|@(?P<tag>.*))?', re.DOTALL)

OWL2RL_DATATYPES = (
    *(f"<{RDF}{name}>" for name in ("PlainLiteral", "XMLLiteral")),
    f"<{RDFS}Literal>",
    *(f"<{XSD}{name}>" for name in ("decimal", "integer", "nonNegativeInteger", "nonPositiveInteger")),
    *(f"<{XSD}{name}>" for name in ("positiveInteger", "negativeInteger", "long", "int", "short", "byte")),
    *(f"<{XSD}{name}>" for name in ("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte")),
    *(f"<{XSD}{name}>" for name in ("float", "double", "string", "normalizedString", "token", "language")),
    *(f"<{XSD}{name}>" for name in ("Name", "NCName", "NMTOKEN", "boolean", "hexBinary", "base64Binary")),
    *(f"<{XSD}{name}>" for name in ("anyURI", "dateTime", "dateTimeStamp")),
)
"""The datatypes of the profile (OWL 2 Profiles, 4.2.1)."""


def _number(pattern: re.Pattern[str], least: float, most: float) -> Callable[[str], Value | None]:
    def read(lexical: str) -> Value | None:
        if not pattern.fullmatch(lexical) or not least <= Fraction(lexical) <= most:
            return None
        return "number", Fraction(lexical)

    return read


def _boolean(lexical: str) -> Value | None:
    return ("boolean", lexical in ("true", "1")) if lexical in ("true", "false", "1", "0") else None


def _token(lexical: str) -> Value | None:
    return None if re.search(r"^ | $|  |[\t\n\r]", lexical) else ("string", lexical)


_ANY = float("inf")
READ: dict[str, Callable[[str], Value | None]] = {
    f"<{XSD}decimal>": _number(_DECIMAL, -_ANY, _ANY),
    f"<{XSD}integer>": _number(_INTEGER, -_ANY, _ANY),
    f"<{XSD}nonNegativeInteger>": _number(_INTEGER, 0, _ANY),
    f"<{XSD}byte>": _number(_INTEGER, -128, 127),
    f"<{XSD}boolean>": _boolean,
    f"<{XSD}string>": lambda lexical: ("string", lexical),
    f"<{XSD}token>": _token,
}
"""The values of lexical forms, None for what is none."""


def _is_whole(value: Value, least: float, most: float) -> bool:
    return value[0] == "number" and value[1].denominator == 1 and least <= value[1] <= most


MEMBERS: dict[str, Callable[[Value], bool]] = {
    f"<{XSD}decimal>": lambda value: value[0] == "number",
    f"<{XSD}integer>": lambda value: _is_whole(value, -_ANY, _ANY),
    f"<{XSD}nonNegativeInteger>": lambda value: _is_whole(value, 0, _ANY),
    f"<{XSD}byte>": lambda value: _is_whole(value, -128, 127),
    f"<{XSD}boolean>": lambda value: value[0] == "boolean",
    f"<{XSD}string>": lambda value: value[0] == "string",
    f"<{XSD}token>": lambda value: value[0] == "string" and _token(value[1]) is not None,
    f"<{RDFS}Literal>": lambda value: True,
}
"""Whether a value is in a datatype."""


@cache
def value(literal: str) -> Value | None:
    """The value of a literal, None if it is ill-typed."""
    match = _LITERAL.fullmatch(literal)
    assert match
    if match["tag"]:
        return "tagged", (match["lexical"], match["tag"].lower())
    datatype = match["datatype"] or f"<{XSD}string>"
    if datatype in READ:
        return READ[datatype](match["lexical"])
    return datatype, match["lexical"]


def is_known(literal: str) -> bool:
    """Whether what a literal stands for is worked out here."""
    match = _LITERAL.fullmatch(literal)
    assert match
    return (match["datatype"] or f"<{XSD}string>") in READ


def are_apart(one: str, other: str) -> bool:
    """Whether two different terms are literals that differ in their values, or of which one has none."""
    if not (one.startswith('"') and other.startswith('"') and is_known(one) and is_known(other)):
        return False
    return value(one) is None or value(one) != value(other)


def literals(g: Graph) -> set[str]:
    """The literals that are used."""
    return {o for _, _, o in g.triples if o.startswith('"')}


def dt_type1(_: Graph) -> Iterator[Triple]:
    for datatype in OWL2RL_DATATYPES:
        yield datatype, TYPE, DATATYPE


def dt_type2(g: Graph) -> Iterator[Triple]:
    used = {term for triple in g.triples for term in triple} & MEMBERS.keys()
    for literal in literals(g) if used else ():
        found = value(literal)
        if found is not None and is_known(literal):
            yield from ((literal, TYPE, datatype) for datatype in used if MEMBERS[datatype](found))


def dt_eq(g: Graph) -> Iterator[Triple]:
    spellings = defaultdict(list)
    for literal in literals(g):
        if (found := value(literal)) is not None:
            spellings[found].append(literal)
    for same in spellings.values():
        yield from ((x, SAME_AS, y) for x in same for y in same if len(same) > 1)


def dt_diff(g: Graph) -> Iterator[Triple]:
    for x, y in g.pairs(SAME_AS):
        if all(term.startswith('"') and is_known(term) and value(term) for term in (x, y)) and value(x) != value(y):
            yield x, DIFFERENT_FROM, y


def dt_not_type(g: Graph) -> Iterator[Contradiction]:
    for x, datatype in g.pairs(TYPE):
        if x.startswith('"') and datatype in MEMBERS and is_known(x):
            found = value(x)
            if found is None or not MEMBERS[datatype](found):
                yield Contradiction("dt-not-type", frozenset(), frozenset({(x, TYPE, datatype)}))
    for triple in g.triples:
        if triple[2].startswith('"') and value(triple[2]) is None:
            yield Contradiction("dt-not-type", frozenset(), frozenset({triple}))


def visible(found: Iterable[Triple], asserted: Iterable[Triple]) -> set[Triple]:
    """Of the triples of each subject, property and value: the asserted ones, else the first by its text."""
    groups: defaultdict[object, set[str]] = defaultdict(set)
    for subject, predicate, object_ in found:
        groups[subject, predicate, value(object_) if object_.startswith('"') else object_].add(object_)
    told, shown = set(asserted), set[Triple]()
    for (subject, predicate, _), objects in groups.items():  # type: ignore[misc]
        own = {object_ for object_ in objects if (subject, predicate, object_) in told}
        shown |= {(subject, predicate, object_) for object_ in own or {min(objects, key=str.encode)}}
    return shown
