"""Every error kgreason raises on purpose.

    KgreasonError
    ├── InputError              a file that is missing, unreadable or of no known format
    │   ├── RdfSyntaxError      an RDF document that does not parse: file, line, column
    │   ├── InputTypeError      an argument of a wrong type; a TypeError, too
    │   └── DroppedWarning      a warning: a generalised triple is dropped; an error where warnings are errors
    ├── RuleError               a rule that cannot be used, by name
    │   ├── RuleSyntaxError     rule text that does not parse: file, line, column, what was expected
    │   └── UnsafeRuleError     a head variable that no body atom binds
    ├── QueryError              a SPARQL text that does not parse or cannot be evaluated
    │   └── QueryTimeoutError   a query that took longer than it was given
    ├── StoreError              a store that cannot be opened, read or written
    │   ├── StoreLockedError    another process holds it
    │   ├── GraphBusyError      another thread uses the graph for longer than the caller would wait
    │   └── StoreVersionError   written by a version that this one cannot read
    └── LimitError              a bound that was reached: term ids, a commit's budget
        └── LongTermError       a term with more bytes than can be kept

One clear line each: the message names the file, line, rule or term, and says what to do where there is
something to do. A caller that catches `KgreasonError` has caught them all.
"""

from __future__ import annotations


class KgreasonError(Exception):
    """The root of every error raised on purpose."""


class InputError(KgreasonError):
    """A file that is missing, unreadable or of no known format."""


class RdfSyntaxError(InputError):
    """An RDF document that does not parse.

    `source` is the file (or `<stdin>`), `line` and `column` count from 1; both are None where the parser
    gives no position.
    """

    def __init__(self, source: str, line: int | None, column: int | None, problem: str) -> None:
        self.source, self.line, self.column, self.problem = source, line, column, problem
        super().__init__(f"{_position(source, line, column)}: {problem}")


class InputTypeError(InputError, TypeError):
    """An argument of a wrong type; the message says what was expected, and what came."""


class DroppedWarning(InputError, UserWarning):  # noqa: N818  # it is a warning first
    """A generalised triple that a store drops; an InputError where Python is told to make warnings errors."""


class RuleError(KgreasonError):
    """A rule that cannot be used; the message names it."""


class RuleSyntaxError(RuleError):
    """Rule text that does not parse: where, what was found and what was expected."""

    def __init__(self, source: str, line: int | None, column: int | None, problem: str) -> None:
        self.source, self.line, self.column, self.problem = source, line, column, problem
        super().__init__(f"{_position(source, line, column)}: {problem}")


class UnsafeRuleError(RuleError):
    """A rule whose head has a variable that no body atom binds."""


class QueryError(KgreasonError):
    """A SPARQL text that does not parse or cannot be evaluated."""


class QueryTimeoutError(QueryError):
    """A query whose results were not all fetched within the seconds that it was given."""


class StoreError(KgreasonError):
    """A store that cannot be opened, read or written."""


class StoreLockedError(StoreError):
    """A store that another process holds."""


class GraphBusyError(StoreError):
    """A graph that another thread uses for longer than the caller would wait."""


class StoreVersionError(StoreError):
    """A store written by a version of kgreason that this one cannot read."""


class LimitError(KgreasonError):
    """A bound that was reached: term ids, or the budget of a commit."""


class LongTermError(LimitError):
    """A term with more bytes than can be kept; the message shows its beginning."""


def _position(source: str, line: int | None, column: int | None) -> str:
    return ":".join(str(part) for part in (source, line, column) if part is not None)
