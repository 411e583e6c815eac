"""Universities as files: one file for each department, named as in the original benchmark (`University0_3.nt`).

The number of departments is drawn for each university from (seed, university). So several processes can share the work,
each with its own `first`, and the files are the same as from one process.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path

from kgreason.errors import InputError
from kgreason.lubm import profile
from kgreason.lubm.department import Department, link, university_iri
from kgreason.lubm.draw import Draw


def generate(universities: int, seed: int = 0, first: int = 0) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield a file name and N-Triples lines for each department of universities `first` to `first + universities - 1`.

    The same `seed` gives the same data. Each line ends in a newline. Lines are made while they are read. The caller may
    skip the lines of a department, or read these lines later.
    """
    for university in range(first, first + universities):
        for number in range(Draw(seed, university).between(profile.DEPARTMENTS)):
            yield f"University{university}_{number}.nt", _lines(Department(university, number, seed))


def write(folder: str | Path, universities: int, seed: int = 0, *, is_compressed: bool = False) -> list[Path]:
    """Write universities 0 to `universities - 1` into `folder`. If the folder does not exist, it is made.

    With `is_compressed` the files are gzip files, named `University0_3.nt.gz`: a twentieth of the bytes.

    Returns the paths of the files in the order of `generate`. Raises InputError if a file or the folder cannot be
    written.
    """
    paths = []
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, lines in generate(universities, seed):
            path = Path(folder, f"{name}.gz" if is_compressed else name)
            if is_compressed:
                path.write_bytes(gzip.compress("".join(lines).encode("ascii"), compresslevel=3, mtime=0))
            else:
                with path.open("w", encoding="ascii", newline="\n") as file:
                    file.writelines(lines)
            paths.append(path)
    except OSError as error:
        raise InputError(f"{error.filename or folder}: cannot be written: {error.strerror}") from error
    return paths


def _lines(department: Department) -> Iterator[str]:
    """Yield the lines of a department. For department 0, the first line gives the name of the university."""
    if department.number == 0:
        yield link(university_iri(department.university), "name", f'"University{department.university}"')
    yield from department.lines()
