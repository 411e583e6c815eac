"""Replace the errors of parsers: say in plain words what is wrong in an RDF text, and what to write.

    Unexpected end        ->    the text ends inside its last triple: a full stop (.) is missing at the end

The line and column in Oxigraph's message are left out, because kgreason's errors have them already.

Cost: each message is matched with a few regular expressions.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError

from kgreason.errors import InputError, LimitError, LongTermError, RdfSyntaxError, is_panic
from kgreason.terms.prefixes import Where
from kgreason.terms.prefixes import undeclared_message as of_prefix

_PLACE = re.compile(r"^Parser error [^:]*: ")
_BREAK = re.compile(r"[\n\r\t]")
_UNDECLARED = re.compile(r"The prefix ([^ ]*:) has not been declared")
_PLAIN = {
    "Unexpected end": "the text ends inside its last triple: a full stop (.) is missing at the end",
    "Unexpected end of file": "the string or the IRI that begins here does not end",
    "A dot is expected at the end of statements": "a full stop (.) is missing before this: each triple ends with one",
    "A '}' or a '.' is expected at the end of a graph block": "a full stop (.) is missing before this triple",
    "No scheme found in an absolute IRI": "the IRI is relative: write it in full, such as <http://example.org/tom>",
}
_NOT_UTF_8 = re.compile(r"Invalid UTF-8|cannot decode input using UTF-8")
_MISPLACED = re.compile(r"(.+) is not a valid (?:RDF )?(subject|predicate|object)(?: or graph name)?", re.DOTALL)
_ENDS = (".", ";", ",", "}", "]")
_WORD = re.compile(r"\w*[a-z]\w*")


@contextmanager
def input_errors(file: str) -> Iterator[None]:
    """A context that turns errors of parsers and of the operating system into RdfSyntaxError or InputError.

    The error for a term that is too long becomes LimitError with the name of the file.
    """
    try:
        yield
    except LongTermError as error:
        raise LimitError(f"{file}: {error}") from error
    except SyntaxError as error:
        raise RdfSyntaxError(file, error.lineno, error.offset, problem_of(error)) from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from error
    except (EOFError, zlib.error, LZMAError) as error:
        raise InputError(f"{file}: the compressed data is damaged or cut short") from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise InputError(f"{file}: the library that reads this format cannot read this text: {error}") from error


def problem_of(error: SyntaxError, where: Where = "file") -> str:
    """Say in plain words what a parser found wrong, without line and column.

    `where` is the kind of text that was parsed, such as a file or an argument (`terms.prefixes.Where`).
    """
    if "LoadDocumentCallback" in error.msg:
        return "remote JSON-LD contexts are not fetched: put the context into the file"
    prefix = undeclared_prefix(error)
    if prefix is not None:
        return of_prefix(prefix, where)
    told = _BREAK.sub(lambda found: repr(found[0])[1:-1], _PLACE.sub("", error.msg))
    if _NOT_UTF_8.match(told):
        return "this is not UTF-8: save the file in the encoding UTF-8"
    misplaced = _MISPLACED.fullmatch(told)
    return _place_mistake(*misplaced.groups()) if misplaced else _PLAIN.get(told, told)


def _place_mistake(token: str, place: str) -> str:
    """Say what is wrong with a token that cannot be the `place` (subject, predicate or object) of a triple."""
    if token in _ENDS and place != "subject":
        bracket = ", or the ) of a list is missing" if place == "object" else ""
        return f"the triple before {token} has no {place}{bracket}"
    if place == "object" and token.lower() in ("true", "false"):
        return f"'{token}' is not a term: write {token.lower()} in small letters"
    if not _WORD.fullmatch(token):
        return f"{token} cannot be the {place} of a triple"
    text = f', a text as "{token}"' if place == "object" else ""
    return f"'{token}' is not a term: write an IRI as <http://example.org/{token}>, a name as ex:{token}{text}"


def undeclared_prefix(error: SyntaxError) -> str | None:
    """Return the prefix that is not declared, without its colon. None if the parser's error is about something else."""
    found = _UNDECLARED.search(error.msg)
    return found[1].removesuffix(":") if found else None
