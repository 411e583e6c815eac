"""What the README shows is what happens: its program runs, its command lines exist, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_pages import check_command_line

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "tests/README.md"]


def test_the_program_runs() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
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


def test_the_command_lines_have_commands_and_options_that_exist() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("kgreason ")]
    assert len(lines) > 5
    for line in lines:
        check_command_line(line)


@pytest.mark.parametrize("name", FILES)
def test_links_lead_to_files(name: str) -> None:
    file = ROOT / name
    targets = re.findall(r"\]\((?!https?:|#)([^)#]*)", file.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (file.parent / target).exists()]
