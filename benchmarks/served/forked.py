"""`forked`: a server in a process that is forked from one that has imported kgreason and read the rule sets already.

So a server starts two seconds earlier than as a new program. Everything else is the same: the command line, the
signals, and what the process leaves behind when it is killed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

from kgreason.cli.commands import main

_CONTEXT = get_context("forkserver")


class Forked:
    """A process that runs a command line of kgreason, with the methods of `subprocess.Popen` that `Server` calls."""

    def __init__(self, arguments: Sequence[str], log: Path) -> None:
        """Start the process. Its standard output and error go to the end of the file `log`."""
        _CONTEXT.set_forkserver_preload(["benchmarks.served.preloaded"])
        self._process = _CONTEXT.Process(target=_run, args=(list(arguments), str(log)))
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """The status of the process; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process has ended, and return its status. Raises TimeoutExpired."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("kgreason", timeout or 0)
        return self._process.exitcode

    def kill(self) -> None:
        """Kill the process at once."""
        self._process.kill()

    def send_signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)


def _run(arguments: list[str], log: str) -> None:
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(file, stream)
    main(arguments, prog_name="kgreason")
