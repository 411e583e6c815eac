"""`sort`: decide for each path how its file is read. `divide`: the pieces of files that tasks read.

    N-Triples and N-Quads on other file systems, and .bz2   lines, which Spark reads; a file may be split
    all other local files                                   a task opens them; N-Triples and N-Quads are cut in pieces

A path without `://`, or with `file:`, is local: a file, a folder or a pattern. A local folder stands for the RDF files
in it. Any other path is on another file system, and Spark reads it.

Law: a local file has the same name as in `kgreason.rdf.reader`, so its blank nodes are the same nodes. Each line of a
file that is cut is in the piece in which it begins.
Cost: the driver only lists local folders, and looks up the sizes of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from glob import glob
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from kgreason.errors import InputError
from kgreason.rdf.catalogue import XML_CATALOG
from kgreason.rdf.formats import format_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]

LINE_FILES = "*.{nt,nq}{,.gz,.bz2}"
"""The pattern of the files that Spark reads in a folder on another file system."""

LINES = ("nt", "nq")
"""The formats in which a statement is a line."""
_SPLIT = "bz2"
"""The compression whose files Spark can split."""
_LEAST, _MOST = 1 << 23, 1 << 26
"""The smallest and the largest piece, in bytes."""
_UNPACKED = 10
"""So many bytes of text a byte of a compressed file stands for; a byte of other formats takes as long to parse."""
_PASSED_OVER = re.compile(r"[_.]|.*:")
"""Names of files that Spark silently skips, or cannot read on a local disk."""
_PATTERN = re.compile(r"([\\\[\]{}*?])")


class Inputs(NamedTuple):
    """Files to read: `lines` are local files that Spark reads as lines, `files` local files that tasks open.

    `remote` are paths on other file systems, which Spark reads as lines.
    """

    lines: list[Path]
    files: list[Path]
    remote: list[str]


class FilePiece(NamedTuple):
    """The lines of a file that begin at the bytes from `begin` to before `end`; the whole file if `end` is 0."""

    file: str
    begin: int
    end: int


def sort(paths: Paths) -> Inputs:
    """Sort the files that `paths` stand for by how Spark must read them.

    Raises InputError if there is no file, for a missing file, and for an unknown format.
    """
    given = [paths] if isinstance(paths, str | PathLike) else paths
    inputs = Inputs([], [], [])
    for path in map(str, given):
        if "://" in path and not path.startswith("file:"):
            inputs.remote.append(path)
        else:
            for file in local_files(path):
                (inputs.lines if _is_split(file) else inputs.files).append(file)
    if not any(inputs):
        raise InputError("no file to read: give at least one path")
    return inputs


def divide(files: list[Path], tasks: int) -> list[list[FilePiece]]:
    """Divide files among about so many tasks, or more if they are large. Returns the pieces of each task."""
    weights = [file.stat().st_size * (1 if _is_cut(file) else _UNPACKED) for file in files]
    most = min(_MOST, max(_LEAST, -(-sum(weights) // tasks)))
    found, room = list[list[FilePiece]](), 0
    for file, weight in zip(files, weights, strict=True):
        cuts = [*range(0, weight, most), weight] if _is_cut(file) and weight > most else [0, 0]
        for begin, end in pairwise(cuts):
            size = end - begin or weight
            if not found or size > room:
                found.append([])
                room = most
            found[-1].append(FilePiece(str(file), begin, end))
            room -= size
    return found


def local_files(path: str) -> Iterator[Path]:
    """Yield in order the files that a local path stands for: a file, a folder or a pattern. Raises InputError."""
    path = local_path(path) if path.startswith("file:") else path
    found = [path] if Path(path).exists() else sorted(glob(path, recursive=True))
    if not found:
        raise InputError(f"{path}: No such file or directory")
    for each in map(Path, found):
        if each.is_dir():
            yield from _documents(each)
        else:
            yield each.resolve()


def by_name(path: str) -> str:
    """Return the path by which Spark reads a file of this name: it would read some characters as a pattern."""
    return _PATTERN.sub(r"\\\1", path)


def spark_path(file: Path) -> str:
    """Return the URI by which Spark reads a local file."""
    return "file://" + by_name(str(file))


@lru_cache
def source_name(uri: str) -> str:
    """Return the name that `kgreason.rdf.reader` would give to the file that Spark knows by `uri`."""
    return str(Path(local_path(uri)).resolve()) if uri.startswith("file:") else uri


def local_path(uri: str) -> str:
    """Return the path of a local file that Spark knows by `uri`.

    >>> local_path("file:///tmp/a%20b"), local_path("file:/tmp/a")
    ('/tmp/a b', '/tmp/a')
    """
    return unquote(urlsplit(uri.replace("?", "%3F").replace("#", "%23")).path)


def files_of_table(table: DataFrame) -> list[str]:
    """Return the paths of the files behind a DataFrame; nothing if one of them is not on this machine."""
    uris = table.inputFiles()
    return [local_path(uri) for uri in uris] if all(uri.startswith("file:") for uri in uris) else []


def _is_split(file: Path) -> bool:
    form = format_of(file)
    return form.name in LINES and form.compression == _SPLIT and not _PASSED_OVER.match(file.name)


def _is_cut(file: Path) -> bool:
    form = format_of(file)
    return form.name in LINES and not form.compression


def _documents(folder: Path) -> Iterable[Path]:
    """Return the RDF files of a folder. Raises InputError if the folder has none."""
    found = sorted(file.resolve() for file in folder.iterdir() if file.is_file() and _is_document(file))
    if not found:
        raise InputError(f"{folder}: the folder has no RDF file")
    return found


def _is_document(file: Path) -> bool:
    try:
        format_of(file)
    except InputError:
        return False
    return file.name != XML_CATALOG
