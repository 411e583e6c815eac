"""Protect the server from deeply nested texts.

The parsers of pyoxigraph recurse for each bracket inside brackets, and a stack overflow ends the process. SPARQL has a
stack that is large enough for it (`kgreason.stacks`), but may keep the parser busy for ever: it reads the arguments of
REPLACE(a, b, c) twice, so it reads those of 30 calls in one another a thousand million times. Nothing else runs in the
process meanwhile. And Oxigraph plans the joins of a query before it finds the first row: a hundred triple patterns in
one group may take it some seconds, and the thread that plans cannot be stopped.

So the server looks whether a text may be deep (`may_be_deep`, `may_be_deep_document`). If so, the text is first parsed
in a query process, with a smaller stack than any thread of the server has (`problem_of_text`), and a query is planned
there. If that process ends, or the parser or the planner takes too long, the text is refused.

Law: a text that passes `problem_of_text` does not overflow a stack of the server, and keeps its parser busy for at most
two seconds and one more for each megabyte, and the planner of a query for as long. Cost: `may_be_deep` counts brackets.
"""

from __future__ import annotations

import re
import threading
import time
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
from kgreason.sparql.query.columns import unevaluated_query
from kgreason.sparql.tokens import TOKEN
from kgreason.stacks import is_small, stack_for, with_stack

if TYPE_CHECKING:
    from kgreason.rules.parser import Syntax

_SHALLOW = 100
_FEW = 12
"""The parser reads a SPARQL text with at most so many brackets in a short time."""
_SECONDS, _PER_CHARACTER = 2.0, 1e-6
"""How long the parser and the planner may take. A busy processor takes twice as long for a text as a quiet one."""
_LATE = "the text takes the parser too long: it has too many calls or SELECTs in one another"
_LATE_PLAN = (
    "the query takes Oxigraph too long, even without a triple: it has too many triple patterns or OPTIONALs in one"
    " group, or too many rows of VALUES"
)
_STACK = 1 << 20
_PATTERN = re.compile(r"WHERE|SELECT|ASK|\\[uU]", re.IGNORECASE)
"""Every query and every WHERE has one of these. `rules.expressions` limits the nesting in other rules."""
_OPENING = re.compile(r"[{(\[]|\\u|\\U|<<|\!|-|\+")
_OPENING_OF_TERMS = re.compile(r"[{(\[]|<<")
_NESTED = ("jsonld", "rdf")


def may_be_deep(text: str) -> bool:
    """Whether an update or rules may be nested deeply, or take Oxigraph's parser long.

    That is so if the text has many brackets, signs and escapes; or a pattern, and more than a few of them or many
    tokens.
    """
    count = sum(1 for _ in _OPENING.finditer(text))
    return count > _SHALLOW or (bool(_PATTERN.search(text)) and (count > _FEW or not is_small(text)))


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


def problem_of_text(kind: str, text: str, form: str, base: str) -> str | None:
    """Parse a text in a thread with a small stack. Returns a message if the text does not parse, otherwise None.

    A query is planned as well.
    `kind` is "query", "update", "rules" or "document". For a document, `text` is the path of its file. `form` is the
    format of a document, or the language of rules. `base` is the base of relative IRIs.
    """
    parse = _parser(kind, form, base)  # before the clock: it may have to import a parser
    seconds = parse_seconds(kind, text)
    found = _with_small_stack(lambda: parse(text), seconds, _LATE)
    if kind != "query" or found or _asks_service(text):
        return found
    return _with_small_stack(lambda: _plan(text, base), seconds, _LATE_PLAN)


def _asks_service(query: str) -> bool:
    """Whether a query may ask a SERVICE: to plan it would ask, too."""
    return any((token["name"] or "").upper() == "SERVICE" for token in TOKEN.finditer(query))


def parse_seconds(kind: str, text: str) -> float | None:
    """Return how many seconds a text may keep its parser busy; None if its parser is fast for every text."""
    if kind in ("document", "lines"):
        return None
    return _SECONDS + _PER_CHARACTER * len(text)


def _plan(query: str, base: str) -> None:
    """Have Oxigraph parse a query, plan its joins and evaluate it over an empty store."""

    def plan() -> None:  # what it makes must end in the thread that has made it
        pyoxigraph.Store().query(query, base_iri=base or None)

    with_stack(stack_for(query), plan)


def _parser(kind: str, form: str, base: str) -> Callable[[str], Any]:
    """Return a function that parses a text. The arguments are those of `problem_of_text`."""
    if kind == "query":
        return lambda text: _plan(unevaluated_query(text), base)
    if kind == "update":
        from kgreason.sparql.parser import parse

        return lambda text: parse(text, base=base or None)
    if kind == "rules":
        from kgreason.rules.parser import parse as parse_rules

        def parse_all(text: str) -> None:
            with suppress(RuleError):  # the server parses the text again, with the functions and imports of the store
                parse_rules(text, syntax=cast("Syntax", form))

        parse_all("[?x, <e:p>, ?x] :- [?x, <e:p>, ?x], FILTER(?x = 1) .")  # makes the parser of a new process
        return parse_all

    def read(path: str) -> None:
        with Path(path).open("rb") as file, suppress(RdfSyntaxError):  # the server reads the document again
            source = cast(IO[bytes], RdfXml(file, path)) if form == "rdf" else file
            deque(pyoxigraph.parse(source, RdfFormat.from_extension(form), base_iri=base), maxlen=0)

    return read


def _with_small_stack(call: Callable[[], Any], seconds: float | None, late: str) -> str | None:
    """Parse a text in a thread with a small stack, by a call of `call`. Returns the message of its error or None.

    Only an error of kgreason or a RecursionError gives a message, and a call that takes more than `seconds`: the
    message `late`. Other errors give None, because the server parses the text again and raises them then.
    """
    problems: list[str] = []
    begun = time.process_time()

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
    if seconds is not None and time.process_time() - begun > seconds:
        return late
    return problems[0] if problems else None
