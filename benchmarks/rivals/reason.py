"""`reasonable` from files to a file: `python reason.py OUT.nt FILE...`.

A whole process, as a user would write it; a term's text is made once, however often the term occurs.
"""

import functools
import sys
from pathlib import Path
from typing import Any

import reasonable


@functools.cache
def text(term: Any) -> str:
    """A term of rdflib in N-Triples."""
    return str(term.n3())


def main(target: str, files: list[str]) -> None:
    """Write the OWL 2 RL closure of files (Turtle)."""
    reasoner = reasonable.PyReasoner()
    for file in files:
        reasoner.load_file(file)
    with Path(target).open("w", encoding="utf-8") as out:
        out.writelines(f"{text(s)} {text(p)} {text(o)} .\n" for s, p, o in reasoner.reason())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
