"""The problem of an RDF text in words: Oxigraph's message without the place in it.

kgreason's errors have line and column of their own. Cost: one regular expression for a message.
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
    """The undeclared prefix, with its colon; None for another problem."""
    found = _UNDECLARED.search(error.msg)
    return found[1] if found else None
