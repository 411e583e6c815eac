"""XML literals.

An rdf:XMLLiteral is the content of an element: text, elements, comments, well balanced. Its value is exclusive
canonical XML with comments (RDF Concepts of 2004, section 5.1, which OWL 2 refers to): empty tags, the order of
attributes, the way a character is escaped make no difference. Lexical forms that are not canonical themselves are
taken too, as RDF 1.1 does.

Cost: a parse, some 20 microseconds; the parser is imported with the first XML literal. No document type can be
declared in the middle of an element, so that entities cannot grow.
"""

from __future__ import annotations

from kgreason.datatypes.value import XML, Value

_OPEN, _CLOSE = "<r>", "</r>"


def xml(lexical: str) -> Value:
    """rdf:XMLLiteral."""
    from xml.etree.ElementTree import ParseError, canonicalize

    try:
        element = canonicalize(f"{_OPEN}{lexical}{_CLOSE}", with_comments=True)
    except ParseError as error:
        raise ValueError(f"balanced XML content ({error})") from None
    return Value(XML, element[len(_OPEN) : -len(_CLOSE)])
