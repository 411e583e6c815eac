"""The datatype map: the lexical forms and the values of each datatype.

It is the map of OWL 2 RL (OWL 2 Profiles, 4.2; OWL 2 Structural Specification, section 4), plus owl:real, owl:rational,
rdf:dirLangString, and the types of XSD for dates, times and durations that OWL 2 RL lacks. A datatype has one or more
value spaces, a test that selects its values from them, and a lexical mapping. Lexical forms are not trimmed: a literal
with spaces around its lexical form is ill-typed, because the whiteSpace facet is for XML documents (RDF 1.1 Concepts,
5.1; the RDF test cases xmlsch-02-whitespace-facet). rdfs:Literal, owl:real and the two types of tagged strings have no
lexical forms.

Law: the lexical mapping of a datatype gives only values of this datatype.
Cost: half a microsecond for a plain string, one for a string with a language tag, two to six for other literals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from kgreason.datatypes import value
from kgreason.datatypes.literals import parts_of_literal
from kgreason.datatypes.spaces import binary, durations, markup, numeric, textual, times
from kgreason.datatypes.value import REAL, STRING, IllTyped, Reading, UnreadError, Value
from kgreason.terms import vocabulary as v


class Datatype(NamedTuple):
    """A datatype. `read` is its lexical mapping, from a lexical form to a value of one of the value spaces `spaces`.

    Not all values of these spaces need belong to the datatype: `holds` tests the data of a value. `members` says in
    words which values belong to the datatype. `is_costly` says that to read or compare a value of millions of digits
    takes long.
    """

    spaces: frozenset[str]
    holds: Callable[[Any], bool]
    members: str
    read: Callable[[str], Value]
    is_costly: bool = False

    def value(self, lexical: str) -> Value:
        """Return the value of a lexical form. Raises ValueError, with what is expected, if the form has no value.

        Raises UnreadError if the form may have a value that would take too long to find out or to compare.
        """
        if self.is_costly and len(lexical) > _LONG:
            raise UnreadError
        found = self.read(lexical)
        if not self.holds(found.data):
            raise ValueError(f"expected {self.members}")
        return found


_LONG = 100_000
"""A longer literal of a costly type has no known value: to compare two of a million digits would take half a minute."""


def _always(_: Any) -> bool:
    return True


def _no_value(_: str) -> Value:
    raise ValueError("expected another datatype, because this datatype has no lexical forms")


def _datatype(read: Callable[[str], Value], *spaces: str) -> Datatype:
    return Datatype(frozenset(spaces), _always, "", read)


def _restricted_datatype(base: Datatype, holds: Callable[[Any], bool], members: str) -> Datatype:
    return base._replace(holds=holds, members=members)


def _range(low: int | None, high: int | None) -> Datatype:
    members = f"integers from {'-INF' if low is None else low} to {'INF' if high is None else high}"
    return _restricted_datatype(_INTEGER, lambda number: _is_between(number, low, high), members)


def _is_between(number: numeric.Real, low: int | None, high: int | None) -> bool:
    return numeric.is_whole(number) and (low is None or low <= number) and (high is None or number <= high)


def _has_offset(moment: times.Moment) -> bool:
    return moment.offset is not None


_REALS = _datatype(_no_value, REAL)
_INTEGER = _datatype(numeric.integer, REAL)
_STRINGS = _datatype(textual.string, STRING)
_DURATIONS = _datatype(durations.duration, value.DURATION)
_DATE_TIMES = _datatype(times.date_time, value.DATE_TIME)

_DECLARED: dict[str, Datatype] = {
    v.RDFS_LITERAL: _datatype(_no_value, *value.SPACES),
    v.OWL_REAL: _REALS,
    v.OWL_RATIONAL: _REALS._replace(read=numeric.rational),
    v.XSD_DECIMAL: _REALS._replace(holds=numeric.is_decimal, read=numeric.decimal),
    **{name: _range(low, high) for name, (low, high) in numeric.WHOLE.items()},
    v.XSD_DOUBLE: _datatype(numeric.double, value.DOUBLE),
    v.XSD_FLOAT: _datatype(numeric.single, value.FLOAT),
    v.RDF_PLAIN_LITERAL: _datatype(textual.plain_literal_value, STRING, value.LANG_STRING),
    v.RDF_LANG_STRING: _datatype(_no_value, value.LANG_STRING),
    v.RDF_DIR_LANG_STRING: _datatype(_no_value, value.DIR_LANG_STRING),
    v.XSD_STRING: _STRINGS,
    v.XSD_NORMALIZED_STRING: _restricted_datatype(
        _STRINGS, textual.is_normalized, "strings without tabs and line ends"
    ),
    v.XSD_TOKEN: _restricted_datatype(_STRINGS, textual.is_token, "words with single spaces between them"),
    v.XSD_LANGUAGE: _restricted_datatype(_STRINGS, textual.is_language, "language tags"),
    v.XSD_NMTOKEN: _restricted_datatype(_STRINGS, textual.is_nmtoken, "only characters of XML names"),
    v.XSD_NAME: _restricted_datatype(_STRINGS, textual.is_name, "XML names"),
    v.XSD_NCNAME: _restricted_datatype(_STRINGS, textual.is_ncname, "XML names without colons"),
    v.XSD_BOOLEAN: _datatype(binary.boolean, value.BOOLEAN),
    v.XSD_HEX_BINARY: _datatype(binary.hexadecimal, value.HEX),
    v.XSD_BASE64_BINARY: _datatype(binary.base64, value.BASE64),
    v.XSD_ANY_URI: _datatype(textual.uri, value.URI),
    v.RDF_XML_LITERAL: _datatype(markup.xml, value.XML),
    v.XSD_DATE_TIME: _DATE_TIMES,
    v.XSD_DATE_TIME_STAMP: _restricted_datatype(
        _DATE_TIMES, _has_offset, "a form such as 2004-02-29T12:00:00Z, with a timezone"
    ),
    v.XSD_DATE: _datatype(times.date, value.DATE),
    v.XSD_TIME: _datatype(times.time, value.TIME),
    v.XSD_G_YEAR: _datatype(times.g_year, value.YEAR),
    v.XSD_G_YEAR_MONTH: _datatype(times.g_year_month, value.YEAR_MONTH),
    v.XSD_G_MONTH: _datatype(times.g_month, value.MONTH),
    v.XSD_G_MONTH_DAY: _datatype(times.g_month_day, value.MONTH_DAY),
    v.XSD_G_DAY: _datatype(times.g_day, value.DAY),
    v.XSD_DURATION: _DURATIONS,
    v.XSD_DAY_TIME_DURATION: _DURATIONS._replace(holds=lambda span: span.months == 0, read=durations.day_time),
    v.XSD_YEAR_MONTH_DURATION: _DURATIONS._replace(holds=lambda span: span.seconds == 0, read=durations.year_month),
}

_COSTLY = {v.OWL_RATIONAL, v.XSD_DATE_TIME, v.XSD_DATE_TIME_STAMP, v.XSD_DATE, v.XSD_G_YEAR, v.XSD_G_YEAR_MONTH}
_COSTLY |= {v.XSD_DURATION, v.XSD_DAY_TIME_DURATION, v.XSD_YEAR_MONTH_DURATION}
_DECLARED |= {name: _DECLARED[name]._replace(is_costly=True) for name in _COSTLY}

DATATYPE_MAP: Mapping[str, Datatype] = MappingProxyType(_DECLARED)
"""The supported datatypes by their names in N-Triples text."""

DATATYPES: tuple[str, ...] = tuple(DATATYPE_MAP)
"""The names of the supported datatypes, in a fixed order."""

_BEYOND_OWL2RL = {v.OWL_REAL, v.OWL_RATIONAL, v.RDF_LANG_STRING, v.RDF_DIR_LANG_STRING}
_BEYOND_OWL2RL |= {v.XSD_DATE, v.XSD_TIME, v.XSD_G_YEAR, v.XSD_G_YEAR_MONTH, v.XSD_G_MONTH, v.XSD_G_MONTH_DAY}
_BEYOND_OWL2RL |= {v.XSD_G_DAY, v.XSD_DURATION, v.XSD_DAY_TIME_DURATION, v.XSD_YEAR_MONTH_DURATION}
OWL2RL_DATATYPES: tuple[str, ...] = tuple(name for name in DATATYPES if name not in _BEYOND_OWL2RL)
"""The names of the datatypes of OWL 2 RL (OWL 2 Profiles, 4.2.1; rule dt-type1)."""


def values(literals: Iterable[str]) -> list[Reading]:
    """Return the `Value` of each literal; `IllTyped` if it has no value; None if its datatype is unknown.

    `literals` are N-Triples text. A literal of an unknown datatype equals itself, and nothing else is known about it.
    So does one whose value would take too long to find out.
    rdfs:Literal is the class of all literals, and no datatype of RDF 1.1 (Concepts, section 5). So a literal that has
    this name in place of a datatype counts as a literal of an unknown datatype.
    Raises ValueError for a term that is not a literal.
    """
    return [_string_value(text) if text[-1:] == '"' else _reading(text) for text in literals]


def is_member(data_value: Value, datatype: str) -> bool:
    """Whether a datatype contains a value. Raises KeyError for a datatype that is not supported."""
    found = DATATYPE_MAP[datatype]
    return data_value.space in found.spaces and found.holds(data_value.data)


def _string_value(text: str) -> Reading:
    """Return the value of a literal that ends with a quotation mark. This is a fast path for most strings."""
    if "\\" in text or text[0] != '"' or len(text) < 2:
        return _reading(text)
    return Value(STRING, text[1:-1])


def _reading(text: str) -> Reading:
    lexical, name, language = parts_of_literal(text)
    datatype = DATATYPE_MAP.get(name)
    if datatype is None or name == v.RDFS_LITERAL:
        return None
    try:
        return textual.tagged(lexical, language) if language else datatype.value(lexical)
    except UnreadError:
        return None
    except ValueError as error:
        return IllTyped(lexical, name, str(error))
