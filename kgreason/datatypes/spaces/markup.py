"""XML literals.

An rdf:XMLLiteral is the balanced content of an element: text, elements, comments. Its value is exclusive canonical XML
with comments (RDF Concepts of 2004, section 5.1, which OWL 2 refers to). The form of empty tags, the order of
attributes and the way of escaping a character make no difference. As in RDF 1.1, a lexical form need not be canonical.

Cost: a parse, about 20 microseconds; the parser is imported with the first XML literal. A document type cannot be
declared inside an element, so a literal cannot define entities that expand.
"""

from __future__ import annotations

from kgreason.datatypes.value import XML, Value

_OPEN, _CLOSE = "<r>", "</r>"


def xml(lexical: str) -> Value:
    """Return the value of a lexical form of rdf:XMLLiteral."""
    from xml.etree.ElementTree import ParseError, canonicalize

    try:
        element = canonicalize(f"{_OPEN}{lexical}{_CLOSE}", with_comments=True)
    except ParseError as error:
        raise ValueError(f"expected balanced XML content ({error})") from None
    return Value(XML, element[len(_OPEN) : -len(_CLOSE)])
