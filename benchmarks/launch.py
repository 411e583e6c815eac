"""Run a command and print its seconds and its peak memory in bytes as JSON: `python launch.py COMMAND [ARGUMENT...]`.

A child process starts with the peak memory of its parent, so a large process cannot measure a small one. This script is
a small process between the two; it imports nothing of the project. It throws the standard output of the command away,
and passes on its errors and its exit status.
"""

import json
import os
import sys
import time


def main(command: list[str]) -> int:
    """The command's exit status."""
    silence = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[silence])
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024
    sys.stdout.write(json.dumps({"seconds": seconds, "peak": usage.ru_maxrss * unit}))
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
