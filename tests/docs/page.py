"""A page of the documentation as something that runs: the files that it shows, its program, its command lines.

A block of code belongs to one of these, by its language and the line above it:

    `name.ttl`:  (a line of its own)    the file of that name, whatever the language
    python                              a part of the page's program; all parts are one program
    text                                what the program prints; blocks are joined, `...` stands for anything
    console                             command lines after `$ `, each with what it prints; `...` as above
    sh, prolog, turtle, sparql, json,   shown and not run
    mermaid, js, html, nginx, ini,
    yaml, no language
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
SHOWN_ONLY = {"", "sh", "prolog", "turtle", "sparql", "mermaid", "json", "js", "html", "nginx", "ini", "yaml"}
_DIRECTIVE = re.compile(r"^```\{.*?^```$", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"(?:^`([\w./-]+)`:\n\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A page, by its path below docs/ without the suffix."""

    name: str

    @property
    def text(self) -> str:
        """What the file says, without the directives of MyST."""
        return _DIRECTIVE.sub("", (DOCS / f"{self.name}.md").read_text(encoding="utf-8"))

    @property
    def blocks(self) -> list[tuple[str, str, str]]:
        """Each block of code: the file that it is, if it is one; its language; its text."""
        return _BLOCK.findall(self.text)

    @property
    def files(self) -> dict[str, str]:
        return {name: text for name, _, text in self.blocks if name}

    def of(self, language: str) -> list[str]:
        """The blocks of a language that are no files."""
        return [text for name, found, text in self.blocks if found == language and not name]

    @property
    def program(self) -> str:
        return "\n".join(self.of("python"))

    @property
    def printed(self) -> str:
        """What the program should print."""
        return "".join(self.of("text"))

    @property
    def commands(self) -> Iterator[tuple[str, str]]:
        """Each command line with what it should print."""
        for block in self.of("console"):
            _, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
            for part in parts:
                command, _, output = part.partition("\n")
                yield command, output

    def lay_out(self, folder: Path) -> None:
        """Write the files of the page into a folder, in which `ontologies` are those of the repository."""
        (folder / "ontologies").symlink_to(DOCS.parent / "ontologies")
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")


def pages() -> list[Page]:
    """Every page, in the order of their names."""
    return [Page(path.relative_to(DOCS).with_suffix("").as_posix()) for path in sorted(DOCS.rglob("*.md"))]


def is_as_shown(shown: str, printed: str) -> bool:
    """Whether a program printed what its page shows, where `...` is anything; empty lines do not count."""
    want, got = ("".join(f"{line}\n" for line in text.splitlines() if line.strip()) for text in (shown, printed))
    return OutputChecker().check_output(want, got, ELLIPSIS)
