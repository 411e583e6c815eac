"""The problem of an RDF text in words: the message of Oxigraph's parser without line and column.

The errors of kgreason give line and column themselves. Cost: one regular expression for a message.
"""

from __future__ import annotations

import re

_PLACE = re.compile(r"^Parser error [^:]*: ")
_UNDECLARED = re.compile(r"The prefix ([^ ]*:) has not been declared")


def problem_of(error: SyntaxError) -> str:
    """The message of a syntax error without line and column."""
    if "LoadDocumentCallback" in error.msg:
        return "remote JSON-LD contexts are not fetched: put the context into the file"
    return _PLACE.sub("", error.msg)


def undeclared(error: SyntaxError) -> str | None:
    """The prefix that is not declared, with its colon, or None if the error has another reason."""
    found = _UNDECLARED.search(error.msg)
    return found[1] if found else None
