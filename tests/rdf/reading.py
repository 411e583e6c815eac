"""What the tests of the readers share: documents in, canonical N-Quads out."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from pyoxigraph import CanonicalizationAlgorithm, Dataset

from kgreason.rdf.reader import Batch, read, read_stream
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.tags import parse_quads


def lines_read(document: bytes, syntax: str, source: str = "source", base: str | None = None) -> bytes:
    """The quads of a document as canonical N-Quads."""
    dictionary = Dictionary()
    return _lines(dictionary, read_stream(io.BytesIO(document), dictionary, syntax=syntax, source=source, base=base))


def lines_of_file(path: Path, syntax: str | None = None) -> bytes:
    """The quads of a file as canonical N-Quads."""
    dictionary = Dictionary()
    return _lines(dictionary, read(path, dictionary, syntax=syntax))


def isomorphic(left: bytes, right: bytes) -> bool:
    """Whether two documents of N-Quads say the same up to the names of blank nodes."""
    return _canonical(left) == _canonical(right)


def _lines(dictionary: Dictionary, batches: Iterable[Batch]) -> bytes:
    return b"".join(dictionary.lines(*batch) for batch in batches)


def _canonical(lines: bytes) -> Dataset:
    dataset = Dataset(parse_quads(lines))
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset
