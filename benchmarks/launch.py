"""Run a command and print its seconds and its peak memory in bytes as JSON: `python launch.py COMMAND [ARGUMENT...]`.

A child starts with the peak memory of the process it was made from, so a large process cannot measure a small one.
This script is the small process in between; it imports nothing of the project. The command's standard output is thrown
away, its errors are passed on, and so is its exit status.
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
