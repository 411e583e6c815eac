"""Strings, tagged and untagged, and IRIs.

A plain literal without a language tag is an xsd:string. rdf:PlainLiteral has strings with and without a tag; their
lexical forms are `text@tag` and `text@` (rdf:PlainLiteral, section 3). Language tags are compared without case. The
lexical form of an xsd:anyURI may be any string, but its value is not a value of xsd:string (XSD 1.1 Part 2, 3.3.17; OWL
2 Structural Specification, 4.6).

XSD 1.1 leaves the choice of the XML version to the implementation. kgreason takes XML 1.1: a string may have all
characters but U+0000, U+FFFE and U+FFFF, and names have the form `Name` of XML 1.1. The tests of derived types
(`is_token` and others) take a string. Cost: one or two microseconds.
"""

from __future__ import annotations

import re
from functools import cache

from kgreason.datatypes.value import DIR_LANG_STRING, LANG_STRING, STRING, URI, Value
from kgreason.patterns.characters import NAME_CHARACTER, NAME_START, python_class

_NO_CHARACTER = re.compile("[\x00\ufffe\uffff]")
_LANGUAGE = re.compile(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*")


def string(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:string."""
    return Value(STRING, _characters(lexical))


def tagged(lexical: str, language: str) -> Value:
    """Return the value of a string with a language tag; the tag may end in a direction (`ar--rtl`)."""
    space = DIR_LANG_STRING if "--" in language else LANG_STRING
    return Value(space, (_characters(lexical), language.lower()))


def plain_literal_value(lexical: str) -> Value:
    """Return the value of a lexical form of rdf:PlainLiteral."""
    text, mark, language = lexical.rpartition("@")
    if not mark or (language and not is_language(language)):
        raise ValueError("expected a text that ends in @, or in @ and a language tag")
    return tagged(text, language) if language else string(text)


def uri(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:anyURI."""
    return Value(URI, _characters(lexical))


def is_normalized(text: str) -> bool:
    """Whether a string has no tab and no line end: xsd:normalizedString."""
    return not any(space in text for space in "\t\n\r")


def is_token(text: str) -> bool:
    """Whether a string has only single spaces, and none at its ends: xsd:token."""
    return is_normalized(text) and text == text.strip(" ") and "  " not in text


def is_language(text: str) -> bool:
    """Whether a string has the form of a language tag: xsd:language."""
    return _LANGUAGE.fullmatch(text) is not None


def is_nmtoken(text: str) -> bool:
    """Whether a string consists of characters of XML names: xsd:NMTOKEN."""
    return _pattern(f"{python_class(NAME_CHARACTER)}+").fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a string is an XML name: xsd:Name."""
    return _pattern(f"{python_class(NAME_START)}{python_class(NAME_CHARACTER)}*").fullmatch(text) is not None


def is_ncname(text: str) -> bool:
    """Whether a string is an XML name without colons: xsd:NCName."""
    return ":" not in text and is_name(text)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: a class of so many characters takes 5 ms."""
    return re.compile(pattern)


def _characters(text: str) -> str:
    if _NO_CHARACTER.search(text):
        raise ValueError("expected a string without the characters U+0000, U+FFFE and U+FFFF")
    return text
