"""Every error kgreason raises on purpose.

    KgreasonError
    ├── InputError              a file or an argument that cannot be used
    │   ├── RdfSyntaxError      an RDF document that does not parse: file, line, column
    │   ├── InputTypeError      an argument of a wrong type; also a TypeError
    │   └── DroppedWarning      a warning that a generalised triple is dropped
    ├── RuleError               a rule that cannot be used
    │   ├── RuleSyntaxError     rule text that does not parse: file, line, column, what was expected
    │   ├── UnsafeRuleError     a variable of the head, or under NOT, that no body atom binds
    │   ├── ShapesError         a shapes graph that cannot be used: the shape, and what is wrong with it
    │   └── StratificationError rules that depend on each other in a circle, through NOT
    ├── QueryError              a SPARQL text that does not parse or cannot be evaluated
    │   ├── QueryTimeoutError   a query that exceeded its timeout
    │   └── NumberWarning       a warning that a query may be inexact, as the graph has very long numbers
    ├── StoreError              a store or a graph that cannot be opened, read or written
    │   ├── DiskFullError       a disk, or a quota, without room for what must be written
    │   ├── StoreLockedError    another process, or another graph, writes to the store
    │   ├── GraphBusyError      another thread uses the graph for longer than the timeout
    │   ├── HistoryError        a commit that the history of the graph does not have
    │   ├── ServerError         a server that cannot be reached, or that refuses a request
    │   └── StoreVersionError   a store of a format that this version cannot read
    ├── ContradictionError      a commit that raises a contradiction, in a graph that refuses contradictions
    ├── ViolationError          a commit that violates SHACL shapes, in a graph that refuses violations
    └── LimitError              a limit that was reached: the number of term ids, a commit's budget
        └── LongTermError       a term with too many bytes

Each message is one line. It names the file, line, rule or term. If the reader can do something, the message says what.
To catch every error that kgreason raises on purpose, catch `KgreasonError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class KgreasonError(Exception):
    """The root of every error raised on purpose."""


class InputError(KgreasonError):
    """A file or an argument that cannot be used: a missing file, an unknown format, a text that is not a term."""


class RdfSyntaxError(InputError):
    """An RDF document that does not parse.

    `source` is the file (or `<stdin>`). `line` and `column` count from 1, and are None if the parser gives no position.
    """

    def __init__(self, source: str, line: int | None, column: int | None, problem: str) -> None:
        self.source, self.line, self.column, self.problem = source, line, column, problem
        super().__init__(f"{_position(source, line, column)}: {problem}")


class InputTypeError(InputError, TypeError):
    """An argument of a wrong type; the message says which type was expected, and what was passed."""


class DroppedWarning(InputError, UserWarning):  # noqa: N818  # it is a warning first
    """A warning that a store drops a generalised triple. If Python makes warnings errors, this is an InputError."""


class RuleError(KgreasonError):
    """A rule that cannot be used; the message names the rule."""


class RuleSyntaxError(RuleError):
    """Rule text that does not parse; the message has the place, the text found there, and what was expected."""

    def __init__(self, source: str, line: int | None, column: int | None, problem: str) -> None:
        self.source, self.line, self.column, self.problem = source, line, column, problem
        super().__init__(f"{_position(source, line, column)}: {problem}")


class UnsafeRuleError(RuleError):
    """A rule with a variable in its head, or under NOT, that no atom of its body binds."""


class ShapesError(RuleError):
    """A shapes graph that cannot be used; the message names the shape, and the part that is wrong or not supported."""


class StratificationError(RuleError):
    """Rules that depend on each other in a circle, through NOT. No order can decide them; nothing has changed.

    Example: the rules `p(?x) :- a(?x), NOT q(?x) .` and `q(?x) :- a(?x), NOT p(?x) .`.
    """


class QueryError(KgreasonError):
    """A SPARQL text that does not parse or cannot be evaluated."""


class QueryTimeoutError(QueryError):
    """A query that did not give all its rows within its timeout."""


class NumberWarning(QueryError, UserWarning):  # noqa: N818  # it is a warning first
    """A warning that a query may compare or compute wrongly, because the graph has numbers too long for Oxigraph.

    If Python makes warnings errors, this is a QueryError.
    """


class StoreError(KgreasonError):
    """A store or a graph that cannot be opened, read or written."""


class DiskFullError(StoreError):
    """A disk, or a quota, without room for what must be written. Once there is room, the call can be repeated."""


class StoreLockedError(StoreError):
    """A store that another process, or another graph of this process, has open for writing."""


class GraphBusyError(StoreError):
    """A graph that another thread uses for longer than the timeout of the call."""


class HistoryError(StoreError):
    """A commit that is not in the history. Examples: the commit is too old, or the graph keeps no history."""


class StoreVersionError(StoreError):
    """A store of a format that this version of kgreason cannot read; the message says which version to use."""


class ServerError(StoreError):
    """A server that cannot be reached, or that refuses a request; `status` is the status of its answer, if any."""

    def __init__(self, message: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class ContradictionError(KgreasonError):
    """A commit that raises contradictions, in a graph that refuses contradictions; nothing has changed.

    `contradictions` are the contradictions (`proofs.contradiction.Contradiction`) that the graph did not have before.
    The message has the first contradiction.
    """

    def __init__(self, contradictions: Iterable[Any]) -> None:
        self.contradictions = tuple(contradictions)
        super().__init__(_refusal("raises", "contradiction", self.contradictions))


class ViolationError(KgreasonError):
    """A commit that makes validation results, in a graph that refuses them; nothing has changed.

    `results` are the results (`shapes.result.Result`) that the graph did not have before. The message has the first.
    """

    def __init__(self, results: Iterable[Any]) -> None:
        self.results = tuple(results)
        super().__init__(_refusal("makes", "validation result", self.results))


class LimitError(KgreasonError):
    """A limit that was reached: the number of term ids, or the budget of a commit."""


class LongTermError(LimitError):
    """A term with too many bytes; the message shows its beginning."""


class KernelError(KgreasonError):
    """The library of compiled kernels cannot be built, or cannot be used although it was asked for."""


@contextmanager
def panics(problem: str) -> Iterator[None]:
    """A context that raises InputError, with the message `problem`, for a panic of a library that is written in Rust.

    A panic is no Exception, so nothing else would catch it. Each library has a class of its own for panics.
    """
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        raise InputError(f"{problem}: {error}") from error


def is_panic(error: BaseException) -> bool:
    """Whether an error is a panic of a library that is written in Rust."""
    return (type(error).__module__, type(error).__name__) == ("pyo3_runtime", "PanicException")


def _refusal(verb: str, noun: str, reasons: Sequence[Any]) -> str:
    """Return the message of a refused commit, such as `the commit raises a contradiction`, with the first reason."""
    count = len(reasons)
    amount = f"a {noun}" if count == 1 else f"{count:,} {noun}s"
    more = f"; and {count - 1:,} more" if count > 1 else ""
    return f"the commit {verb} {amount}, and has changed nothing: {reasons[0]}{more}"


def _position(source: str, line: int | None, column: int | None) -> str:
    return ":".join(str(part) for part in (source, line, column) if part is not None)
