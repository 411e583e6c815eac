r"""`untagged_literal`: find literals of rdf:langString or rdf:dirLangString that have no language tag.

Such a literal is no RDF term (RDF 1.2 Concepts, section 3.4). Parsers of N-Triples, N-Quads, Turtle and TriG refuse it.
STRDT, some other parsers and the constructors of pyoxigraph make it. kgreason refuses it wherever terms come in, since
no other program could read what kgreason then writes.

Law: texts of literals do not count, such as `"^^<...#langString>"`. Cost: a search for a word; only a text that has
this word is looked at closely.
"""

from __future__ import annotations

import re

from kgreason.terms.vocabulary import RDF_DIR_LANG_STRING, RDF_LANG_STRING

WORD = b"angString"
"""The datatype of such a literal ends in these bytes, in every format."""
PROBLEM = "a literal of rdf:langString or rdf:dirLangString needs a language tag"

_DATATYPES = b"|".join(re.escape(each.encode()) for each in (RDF_LANG_STRING, RDF_DIR_LANG_STRING))
_LITERAL = re.compile(rb'"(?:[^"\\]|\\.)*+"(\^\^(?:' + _DATATYPES + rb"))?", re.DOTALL)


def untagged_literal(text: bytes) -> str | None:
    """Return the first literal that lacks its language tag. None if there is none.

    `text` has terms, or lines of N-Triples or N-Quads, in canonical form.

    >>> untagged_literal(b'<<( <http://e/s> <http://e/p> "v"@en )>>')
    >>> untagged_literal(b'"v"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>')
    '"v"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>'
    """
    if WORD not in text:
        return None
    return next((str(found[0], "utf-8", "replace") for found in _LITERAL.finditer(text) if found[1]), None)


def is_untagged(term: str) -> bool:
    """Whether a term is such a literal, or is a triple term with one."""
    return "angString" in term and untagged_literal(term.encode()) is not None
