"""The benchmarks that the documentation names are there."""

from __future__ import annotations

import re

from benchmarks.suite import ALL
from tests.docs.page import Page


def test_every_command_names_a_benchmark() -> None:
    text = Page("benchmarks").text
    rows = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z]+-[a-z0-9-]+)`", row)}
    named |= {name for names in re.findall(r"--only ([a-z0-9 -]+)`", text) for name in names.split()}
    assert len(named) > 10
    assert named <= {benchmark.name for benchmark in ALL}
