"""The server is killed (SIGKILL) at random points under load, and started again: nothing acknowledged may be lost.

    python -m benchmarks.served.kills FOLDER TIMES [SEED]

The load is that of `crowd`, on LUBM(1), with writers that do not pause. Prints a line for each start: how many
kills were before, and the last commit. Raises AssertionError if a law of the crowd does not hold.

Cost: about two seconds a kill, on two cores. The server is forked from a process that is warm (`forked`).
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from benchmarks.served.crowd import Crowd
from benchmarks.served.forked import Forked
from benchmarks.served.serving import PATIENCE, Client, Server, lubm_store, running

_MOST_EDITS, _LONGEST = 20, 0.05
"""A server is killed after some acknowledged edits, at most so many, and some seconds."""


def killed(folder: Path, times: int, seed: int = 0) -> int:
    """Kill the server of a new store so many times. The result is the number of acknowledged edits."""
    store, chance = lubm_store(folder, 1, history="all"), random.Random(seed)
    crowd = Crowd(1, readers=4, writers=4, followers=3, seed=seed)
    for number in range(times + 1):
        with running(store, start=Forked) as server:
            followers = crowd.listen(server.address)
            commit = _check(server, crowd)
            sys.stdout.write(f"{number} {commit}\n")
            sys.stdout.flush()
            if number < times:
                workers = crowd.work(server.address)
                _wait(crowd, chance.randrange(_MOST_EDITS))
                time.sleep(chance.uniform(0, _LONGEST))
                server.kill()
                workers.end()
            else:
                server.stop()
            followers.end()
    return crowd.edits


def _wait(crowd: Crowd, edits: int) -> None:
    """Wait for so many more acknowledged edits. Raises AssertionError if they do not come."""
    wanted, until = crowd.edits + edits, time.monotonic() + PATIENCE
    while crowd.edits < wanted:
        assert time.monotonic() < until, "edits take too long"
        time.sleep(0.001)


def _check(server: Server, crowd: Crowd) -> int:
    """Check the laws of a crowd at a server that has just begun; the result is its last commit."""
    with Client(server.address) as client:
        commit: int = client.get("/health")["commit"]
        until = time.monotonic() + PATIENCE
        while any(each.last < commit for each in crowd.followers) and time.monotonic() < until:
            time.sleep(0.01)
        crowd.check(client, commit)
    return commit


if __name__ == "__main__":
    place, count, *rest = sys.argv[1:]
    sys.stdout.write(f"{killed(Path(place), int(count), *map(int, rest)):,} acknowledged edits, none lost\n")
