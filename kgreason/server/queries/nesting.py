"""Protect the server from deeply nested texts.

The parsers of pyoxigraph recurse for each bracket inside brackets, and a stack overflow ends the process. SPARQL has a
stack that is large enough for it (`kgreason.stacks`), but may keep the parser busy for minutes. So the server looks
whether a text may be deep (`may_be_deep`, `may_be_deep_document`). If so, the text is first parsed in a query process,
with a smaller stack than any thread of the server has (`check`). If that process ends or takes some seconds, the text
is refused.

Law: a text that passes `check` does not overflow a stack of the server. Cost: `may_be_deep` counts brackets.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import pyoxigraph
from pyoxigraph import RdfFormat

from kgreason.errors import KgreasonError, RdfSyntaxError, RuleError
from kgreason.rdf.xml.rdf_xml import RdfXml
from kgreason.server.problems import Problem
from kgreason.stacks import is_small

if TYPE_CHECKING:
    from kgreason.rules.parser import Syntax

_SHALLOW = 100
_STACK = 1 << 20
_OPENING = re.compile(r"[{(\[]|\\u|\\U|<<|\!|-|\+")
_OPENING_OF_TERMS = re.compile(r"[{(\[]|<<")
_NESTED = ("jsonld", "rdf")


def may_be_deep(text: str) -> bool:
    """Whether an update or rules may be nested deeply, or take Oxigraph's parser long.

    That is so if the text has many brackets, signs and escapes, or a WHERE and many tokens.
    """
    return sum(1 for _ in _OPENING.finditer(text)) > _SHALLOW or ("WHERE" in text.upper() and not is_small(text))


def check_terms(what: str, *texts: str | None) -> None:
    """Raise Problem if a term, or another piece of Turtle, has so many brackets that it may be nested deeply.

    `what`: what the texts are, for the message. A text that is None passes.
    """
    if any(sum(1 for _ in _OPENING_OF_TERMS.finditer(text or "")) > _SHALLOW for text in texts):
        raise Problem(400, f"the {what} has more than {_SHALLOW} opening brackets, so it may be nested too deeply")


def may_be_deep_document(path: Path, form: str) -> bool:
    """Whether a document may be nested deeply. In formats other than JSON-LD and RDF/XML only triple terms can nest."""
    if form in _NESTED:
        return True
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as text:
        return text.find(b"<<") >= 0


def check(kind: str, text: str, form: str, base: str) -> str | None:
    """Parse a text in a thread with a small stack. Returns a message if the text does not parse, otherwise None.

    `kind` is "update", "rules" or "document". For a document, `text` is the path of its file. `form` is the format of a
    document or the language of rules. `base` is the base of relative IRIs.
    """
    return _with_small_stack(lambda: _parse(kind, text, form, base))


def _parse(kind: str, text: str, form: str, base: str) -> None:
    if kind == "update":
        from kgreason.sparql.parser import parse

        parse(text, base=base or None)
    elif kind == "rules":
        from kgreason.rules.parser import parse as parse_rules

        with suppress(RuleError):  # the server parses the text again, with the functions and imports of the store
            parse_rules(text, syntax=cast("Syntax", form))
    else:
        with Path(text).open("rb") as file, suppress(RdfSyntaxError):  # the server reads the document again
            source = cast(IO[bytes], RdfXml(file, text)) if form == "rdf" else file
            deque(pyoxigraph.parse(source, RdfFormat.from_extension(form), base_iri=base), maxlen=0)


def _with_small_stack(call: Callable[[], Any]) -> str | None:
    """Call a function in a thread with a small stack. Returns the message of its error, otherwise None.

    Only an error of kgreason or a RecursionError gives a message. Other errors give None, because the server parses the
    text again and raises them then.
    """
    problems: list[str] = []

    def calling() -> None:
        try:
            call()
        except KgreasonError as error:
            problems.append(str(error))
        except (OSError, RecursionError, SyntaxError, ValueError, MemoryError) as error:
            if isinstance(error, RecursionError):
                problems.append("the text is nested too deeply")

    before = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=calling)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return problems[0] if problems else None
