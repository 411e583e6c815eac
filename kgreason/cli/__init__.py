"""The command line: `kgreason COMMAND`. An option that Oxigraph's command line also has, has the same name there.

    commands    main: the root of the command line, and which commands there are
    places      -l: the folder of a store, or the address of a server
    options, notation    options that several commands share; prefixes
    edit/       load, update, unload, rules: commands that change a store
    ask/        query, explain, check, dump, stats, diff, watch, entails: commands that only read
    bulk/       materialize and lubm: commands on files
    serve       serves a store over HTTP
    run         a plain Datalog program on tables
    table, progress      solutions as a table; bars for long work
    failures    errors as one line each, and exit statuses
    advice      messages of the library with options in place of arguments

Results go to standard output, everything else to standard error. A command imports the modules that it needs when it
runs: `query`, `dump` and `stats` start neither the engine nor Numba.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

__all__ = ["main"]


def main(*arguments: Any, **options: Any) -> None:
    """Run a command line, as click does, and exit with its status. Call it in the main thread of a process.

    Ctrl-C ends the process without a message while Python still imports modules, and after the command has ended.
    """
    is_python = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else Ctrl-C is ignored, say
    if is_python:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from kgreason.cli.commands import main as command

    words = arguments[0] if arguments else sys.argv[1:]
    command.commands.get("".join(words[:1]))  # imports the module of the command that is called
    if is_python:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        command(*arguments, **options)
    except SystemExit as end:
        _end_with_threads(end.code)
        raise
    finally:
        if is_python:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _end_with_threads(status: Any) -> None:
    """If a query that nobody waits for still runs in a thread of Oxigraph, end the process at once with `status`."""
    from kgreason.store.oxigraph.worker import has_abandoned_call

    if has_abandoned_call() and isinstance(status, int):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
