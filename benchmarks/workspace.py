"""`Workspace`: the files that benchmarks work on, in a temporary folder that is removed with the workspace.

LUBM data is made by `kgreason.lubm` when it is first asked for. The ontologies are those that kgreason ships. Other
data is shared test data beside the project. If it is missing, `SkippedError` is raised and the benchmark is skipped.

Cost: a second and 110 MB of disk for LUBM(5,0), and the output of the commands.
"""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from kgreason.lubm import generate
from kgreason.resources import resource

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


class SkippedError(Exception):
    """A benchmark that cannot run here, and why."""


class Workspace:
    """A temporary folder; files in it are named as commands name them."""

    def __init__(self, data: Path = SHARED_DATA) -> None:
        self._data = data
        self._temporary = TemporaryDirectory(prefix="kgreason-bench-")
        self.folder = Path(self._temporary.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._temporary.cleanup()

    def lubm(self, universities: int) -> Path:
        """The N-Triples file of LUBM(universities, 0)."""
        path = self.folder / f"lubm{universities}.nt"
        if not path.exists():
            with path.open("w", encoding="ascii", newline="\n") as file:
                for _, lines in generate(universities):
                    file.writelines(lines)
        return path

    def shared(self, folder: str, name: str) -> Path:
        """A file of the shared data, which is packed there. Raises SkippedError where it is missing."""
        packed, path = self._data / folder / name, self.folder / name.removesuffix(".gz")
        if not path.exists():
            if not packed.exists():
                raise SkippedError(f"no shared test data: {packed} is missing")
            with gzip.open(packed) as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
        return path

    def ontology(self, name: str) -> Path:
        """A copy of an ontology that kgreason ships."""
        path = self.folder / name
        if not path.exists():
            shutil.copy(resource("ontologies", name), path)
        return path

    def fresh(self, name: str) -> Path:
        """The path of a file or folder, and nothing there."""
        path = self.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        return path
