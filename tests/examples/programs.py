"""Running the programs of examples/rules: on tables by the command line, on RDF in a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kgreason import KnowledgeGraph
from tests.cli.calling import succeed

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "rules"
Row = tuple[str, ...]


def run(program: Path, tables: Mapping[str, Iterable[tuple[object, ...]]], folder: Path) -> dict[str, set[Row]]:
    """Write tables into a folder, run a program on them, and read the derived relations."""
    for name, rows in tables.items():
        lines = ("\t".join(map(str, row)) + "\n" for row in rows)
        (folder / f"{name}.facts").write_text("".join(lines), encoding="utf-8")
    succeed("run", program, "--facts", folder, "--output", folder / "out")
    return {path.stem: read(path) for path in (folder / "out").iterdir()}


def read(path: Path) -> set[Row]:
    """The rows of a table."""
    return {tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()}


def rows(graph: KnowledgeGraph, names: Mapping[str, str], pattern: str) -> set[Row]:
    """The answers of SELECT * { pattern } in the order of the variables, each term by the last part of its value."""
    prefixes = "".join(f"PREFIX {name}: <{iri}> " for name, iri in names.items())
    return {tuple(map(_short, row)) for row in graph.select(f"{prefixes} SELECT * {{ {pattern} }}")}


def _short(term: Any) -> str:
    return str(term.value).rpartition("/")[2]
