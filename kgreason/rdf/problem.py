"""What is wrong with an RDF text, in words: Oxigraph's messages without its own way to tell the place.

Errors have line and column besides. Cost: that of a message.
"""

from __future__ import annotations

import re

_PLACE = re.compile(r"^Parser error [^:]*: ")
_UNDECLARED = re.compile(r"The prefix ([^ ]*:) has not been declared")


def problem_of(error: SyntaxError) -> str:
    """The problem alone, without line and column."""
    if "LoadDocumentCallback" in error.msg:
        return "remote JSON-LD contexts are not fetched: put the context into the file"
    return _PLACE.sub("", error.msg)


def undeclared(error: SyntaxError) -> str | None:
    """The prefix, with its colon, that a text does not declare; None where something else is wrong."""
    found = _UNDECLARED.search(error.msg)
    return found[1] if found else None
