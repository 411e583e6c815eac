"""The built-ins of SHACL's rules that no expression of SPARQL says. Every registry has them.

They read literals as they are written: `DATATYPE` and `STR` of Oxigraph see the normal form, so that an xsd:byte would
be an xsd:integer, and "01" a string of one character. Each is true for a value that violates its component.

Law: a function is true or false for every term. Cost: that of Python, two to ten microseconds for a term.
"""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode

from kgreason.datatypes.datatype_map import DATATYPE_MAP
from kgreason.datatypes.value import UnreadError
from kgreason.functions.signature import Term
from kgreason.patterns.matching import compiled
from kgreason.terms.quoting import unescape


def shacl_unlike(value: Term, datatype: NamedNode) -> bool:
    """Whether a term is no literal of a datatype, or its lexical form is not one of this datatype."""
    if not isinstance(value, Literal) or value.datatype != datatype:
        return True
    known = DATATYPE_MAP.get(f"<{datatype.value}>")
    if known is None or value.language:
        return False
    try:
        known.value(value.value)
    except UnreadError:
        return False
    except ValueError:
        return True
    return False


def shacl_shorter(value: Term, least: int) -> bool:
    """Whether a term has fewer characters than `least`; so has a blank node, which has no text."""
    text = _text(value)
    return text is None or len(text) < least


def shacl_longer(value: Term, most: int) -> bool:
    """Whether a term has more characters than `most`, or is a blank node."""
    text = _text(value)
    return text is None or len(text) > most


def shacl_unmatched(value: Term, pattern: str, flags: str) -> bool:
    """Whether no part of a term matches a pattern of XPath, or the term is a blank node."""
    text = _text(value)
    return text is None or not compiled(pattern, is_part=True, flags=flags).search(text)


def pattern_problem(pattern: str, flags: str) -> str | None:
    """Return what is wrong with a pattern and its flags, both as N-Triples text; None if nothing is wrong."""
    texts = [text[1 : text.rfind('"')] for text in (pattern, flags) if text.startswith('"')]
    if len(texts) < 2:
        return "a pattern and its flags must be strings"
    try:
        compiled(unescape(texts[0]), is_part=True, flags=unescape(texts[1]))
    except ValueError as error:
        return str(error)
    return None


def _text(value: Term) -> str | None:
    """Return the characters of a term: the IRI, or the lexical form; None for any other term."""
    return value.value if isinstance(value, (NamedNode, Literal)) else None
