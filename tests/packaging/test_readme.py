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
        "tom is part of <http://example.org/house>",
        "tom is part of <http://example.org/street>",
        ":tom a :Animal",
        "    by cax-sco: [?v0, a, :Animal] :- [?v0, a, :Cat] .",
        "    with the axiom :Cat <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Animal",
        "    :tom a :Cat (asserted)",
        "",
        "2 triples would go",
    ]
    assert done.stderr == ""
