"""The README's program runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_program_runs() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "2 triples inferred",
        "<http://example.org/tom> <http://example.org/house>",
        "<http://example.org/tom> <http://example.org/street>",
    ]
    assert done.stderr == ""
