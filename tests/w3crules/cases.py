"""The case folders: `tests/cases/<rule set>/<rule>/<case>/`, each for one rule under its name in the specification.

    input.ttl       what is loaded; its first line says what the case shows
    loaded.patch    what follows from it: every triple that appears beside the input, as an RDF Patch
    loaded.false    the contradictions in it, if any
    edit.ru         a SPARQL update that retracts a premise
    edited.patch    the whole delta of the update, asserted and inferred triples alike
    edited.false    the contradictions that are left, if any

A contradiction is a line of a `.false` file: the rule that derives it, and the asserted triples of data (no schema) on
which it rests in the end: `prp-irp: :eve :parentOf :eve .`, below lines that declare prefixes as in Turtle. All these
files hold for every reading of the schema. A rule of a group that is off by default is run with that group switched on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pyoxigraph import RdfFormat, parse

from tests.oracle.graph import Triple

ROOT = Path(__file__).parents[1] / "cases"
RULESETS = ("owl2rl", "rdfs", "rhodf")
Triples = frozenset[Triple]


class Wrong(NamedTuple):
    """A contradiction: the rule's name, and the asserted triples of data that it rests on."""

    rule: str
    facts: Triples


class Step(NamedTuple):
    """What came of loading or of an edit: triples that disappeared and appeared, contradictions there are then."""

    removed: Triples
    added: Triples
    wrong: frozenset[Wrong]


@dataclass(frozen=True, slots=True)
class Case:
    """A folder."""

    folder: Path

    def __str__(self) -> str:
        return "/".join(self.folder.parts[-3:])

    @property
    def ruleset(self) -> str:
        return self.folder.parts[-3]

    @property
    def rule(self) -> str:
        return self.folder.parts[-2]

    @property
    def input(self) -> Path:
        return self.folder / "input.ttl"

    @property
    def given(self) -> Triples:
        """The triples of the input."""
        return turtle(self.input.read_text("utf-8"))

    @property
    def edit(self) -> str:
        return (self.folder / "edit.ru").read_text("utf-8")

    def expected(self, name: str) -> Step:
        """What the files say of a step: `loaded` or `edited`."""
        removed, added = patch(self.folder / f"{name}.patch")
        return Step(removed, added, falsities(self.folder / f"{name}.false"))


def cases() -> list[Case]:
    """Every case, in the order of their names."""
    return [Case(path.parent) for ruleset in RULESETS for path in sorted((ROOT / ruleset).glob("*/*/input.ttl"))]


def turtle(text: str) -> Triples:
    """The triples of a Turtle text; blank nodes keep their labels."""
    quads = parse(text, RdfFormat.TURTLE)
    return frozenset((str(quad.subject), str(quad.predicate), str(quad.object)) for quad in quads)


def patch(path: Path) -> tuple[Triples, Triples]:
    """What an RDF Patch takes away, and what it adds: rows PA, A and D, which are all that stand in a case."""
    rows = [line.split(" ", 1) for line in path.read_text("utf-8").splitlines()]
    prefixes = "".join(f"@prefix {row}\n" for mark, row in rows if mark == "PA")
    removed, added = (prefixes + "\n".join(row for mark, row in rows if mark == wanted) for wanted in "DA")
    assert {mark for mark, _ in rows} <= {"PA", "A", "D"}, path
    return turtle(removed), turtle(added)


def falsities(path: Path) -> frozenset[Wrong]:
    """The contradictions that a file lists; none if there is no file."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    prefixes = "".join(filter(_is_prefix, lines))
    named = (line.split(":", 1) for line in lines if not _is_prefix(line))
    return frozenset(Wrong(name, turtle(prefixes + facts)) for name, facts in named)


def _is_prefix(line: str) -> bool:
    return line.startswith("@prefix")


def by_rule(found: Iterable[Case]) -> dict[tuple[str, str], list[Case]]:
    """Cases by (rule set, rule)."""
    rules: dict[tuple[str, str], list[Case]] = {}
    for case in found:
        rules.setdefault((case.ruleset, case.rule), []).append(case)
    return rules


def folders_without_input() -> Iterator[Path]:
    """Folders where a case seems to have been begun."""
    for ruleset in RULESETS:
        yield from (path for path in (ROOT / ruleset).glob("*/*/") if not (path / "input.ttl").is_file())
