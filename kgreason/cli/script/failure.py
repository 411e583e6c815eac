"""`ScriptError`: a command that cannot be read or carried out, with its place."""

from __future__ import annotations

from lark import Token

from kgreason.errors import InputError


class ScriptError(InputError):
    """A command of a script that cannot be read or carried out; the message begins with file, line and column."""

    def __init__(self, source: str, line: int, column: int, problem: str) -> None:
        self.source, self.line, self.column, self.problem = source, line, column, problem
        super().__init__(f"{source}:{line}:{column}: {problem}")


def script_error(source: str, token: Token, problem: str) -> ScriptError:
    """Make the error for a command, or for a part of a command, that begins at `token` in the script `source`."""
    return ScriptError(source, token.line or 1, token.column or 1, problem)
