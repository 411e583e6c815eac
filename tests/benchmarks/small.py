"""A university of a few students, as LUBM would have it: enough for every benchmark to run."""

from __future__ import annotations

from pathlib import Path

from benchmarks.lubm import NAMESPACE
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.resources import resource

COURSES = f"<{NAMESPACE}takesCourse>"
ONTOLOGY = resource("ontologies", "univ-bench.ttl")
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_PART = f"<{NAMESPACE}subOrganizationOf>"


def write(path: Path) -> Path:
    """Write the data of 20 students and professors, who have three courses each, as N-Triples."""
    rows = [("group", _PART, "department"), ("department", _PART, "university")]
    for number in range(20):
        rows += [(f"student{number}", COURSES, f"course{(number * step) % 7}") for step in (1, 2, 3)]
        rows.append((f"professor{number}", f"<{NAMESPACE}worksFor>", "department"))
    texts = [f"<http://e/{s}> {p} <http://e/{o}> .\n" for s, p, o in dict.fromkeys(rows)]
    texts += [f"<http://e/professor{number}> {_TYPE} <{NAMESPACE}FullProfessor> .\n" for number in range(20)]
    path.write_text("".join(texts))
    return path


def materialized(folder: Path) -> Materializer:
    """The university under OWL 2 RL."""
    materializer = Materializer(select(["owl2rl"]))
    materializer.change(Edit(added=read_files([write(folder / "data.nt"), ONTOLOGY], materializer.dictionary)))
    materializer.accept()
    return materializer
