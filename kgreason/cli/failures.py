"""Errors of the command line: one line `kgreason: ...` on standard error, never a traceback.

    status   what happened
    0        success
    1        an error: bad input, a store that cannot be used, a full disk. If the reader of a pipe went away, the
             command ends with this status and prints nothing. For `check`, `classify`, `entails` and `validate`
             (`Verdict`) 1 is a negative answer, and an error has status 2
    2        a wrong command line
    130      Ctrl-C

`STATUSES` says this at the end of the help.

Any other exception is a bug of kgreason, and shows its traceback.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

import click

from kgreason.cli.advice import command_line_message
from kgreason.cli.usage import plain_message
from kgreason.errors import KgreasonError, is_panic
from kgreason.files import reason

_INTERRUPTED = 130
STATUSES = """
\b
Exit status:
  0    success
  1    an error; for check, classify, entails and validate: the answer is no
  2    a wrong command line; for check, classify, entails and validate: an error of any kind
  3    for classify: the ontology contradicts itself
  130  Ctrl-C
"""


class Verdict(click.Command):
    """A command whose status is its answer: 0 is yes, 1 is no, and 2 is an error."""


class CommandGroup(click.Group):
    """The group of all commands; it prints an error as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands, in the order in which they were added."""
        return list(self.commands)

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command line and exit with its status."""
        try:
            status = super().main(*args, **{**extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            status = error.exit_code
        except click.UsageError as error:
            context = error.ctx.command_path if error.ctx else self.name
            status = _print_failure(f"{plain_message(error)} (see {context} --help)", error.exit_code)
        except click.Abort:  # Ctrl-C before the command began; click has ended the line
            status = _INTERRUPTED
        sys.exit(status or 0)

    def invoke(self, ctx: click.Context) -> None:
        """Run a command; if it fails, print the error and exit with its status."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except KgreasonError as error:
            ctx.exit(_print_failure(command_line_message(str(error)), self._error(ctx)))
        except BrokenPipeError:
            _silence_stdout()
            ctx.exit(self._error(ctx))
        except OSError as error:
            ctx.exit(
                _print_failure(
                    f"{error.filename}: {reason(error)}" if error.filename else reason(error), self._error(ctx)
                )
            )
        except MemoryError:
            ctx.exit(_print_failure("there is not enough memory", self._error(ctx)))
        except KeyboardInterrupt as stop:
            ctx.exit(_print_failure(str(stop) or "interrupted", _INTERRUPTED))
        except BaseException as error:
            if not is_panic(error):
                raise
            ctx.exit(_print_failure(f"a library failed: {error}", self._error(ctx)))

    def _error(self, ctx: click.Context) -> int:
        """Return the exit status for an error of the command that was called: 2 for a `Verdict`, otherwise 1."""
        return 2 if isinstance(self.commands.get(ctx.invoked_subcommand or ""), Verdict) else 1


def _print_failure(message: str, status: int) -> int:
    click.echo(f"kgreason: {' '.join(message.split())}", err=True)
    return status


def _silence_stdout() -> None:
    """Redirect standard output to /dev/null, so that Python writes nothing more to a pipe that nobody reads."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
