"""The RDF formats, and how to find the format of a file.

A format has a short name, which is also the suffix of its files. The name of a compression may follow: `ttl.gz`. A file
that ends in `.owl` or `.xml` may be in one of several formats; its first bytes tell which.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from kgreason.errors import InputError

PARQUET = "parquet"
"""The format of `rdf.lines.parquet`. Only whole graphs are written in it."""
_TITLES = {
    "nt": "N-Triples",
    "nq": "N-Quads",
    "ttl": "Turtle",
    "trig": "TriG",
    "n3": "Notation3",
    "rdf": "RDF/XML",
    "jsonld": "JSON-LD",
    "owx": "OWL/XML",
    "ofn": "OWL functional syntax",
    "obo": "OBO",
    PARQUET: "Parquet with columns of terms",
    "owl": "RDF/XML, Turtle, OWL/XML or OWL functional syntax, whichever it is",
    "xml": "RDF/XML or OWL/XML, whichever it is",
}
WRITABLE = ("nt", "nq", "ttl", "trig", "n3", "rdf", "jsonld")
_NAMES = {"turtle": "ttl", "ntriples": "nt", "nquads": "nq"}
_UNPACKERS: dict[str, Callable[..., Any]] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"<\0\0\0": "utf-32-le",
    b"\0\0\0<": "utf-32-be",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
"""How a document begins, and the encoding that this shows."""
_MIXED = ("owl", "xml")

_PROLOG = re.compile(rb"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_OWL_XML = re.compile(rb"<(?:[\w.-]+:)?Ontology\b(?![^>]*\brdf:about)")
_RDF_XML = re.compile(rb"<(?:[\w.-]+:)?[A-Za-z][\w.-]*[\s>]")
_FUNCTIONAL = re.compile(rb"(?:\s|#[^\n]*\n)*(?:Prefix|Ontology)\s*\(")

_MANCHESTER = re.compile(
    rb"(?:\s|#[^\n]*\n)*(?:Prefix:\s+[\w.-]*:\s*<|Ontology:\s+<|(?:Class|Individual|ObjectProperty):\s)"
)
_IN_MANCHESTER = (
    "OWL in Manchester syntax, which is not RDF; save the ontology as RDF/XML or Turtle (Protégé can do it, and"
    " `robot convert --input FILE.omn --output FILE.owl`)"
)
_DIRECTIVE = re.compile(
    rb"(?:\s|#[^\n]*\n)*"
    rb"(?:@(?:prefix\s+[^\s:<]*:|base)\s*<[^\s<>]*>\s*\.(?!\S)|(?:prefix\s+[^\s:<]*:|base)\s*<[^\s<>]*>\s*?(?:[\r\n#]|\Z))",
    re.IGNORECASE,
)
"""A whole directive: a line of N-Quads that is damaged may begin with one of these words."""

_RULES = (".dl", ".rules", ".datalog", ".srl")
_ADDRESS = re.compile(r"https?:/")
_TURTLE = re.compile(r"\s\.\s*$|\n|^@prefix\b")


class Format(NamedTuple):
    """The short name of a format, and the name of the compression (empty if there is none)."""

    name: str
    compression: str

    def unpack(self, stream: BinaryIO) -> BinaryIO:
        """Wrap a stream so that it gives its bytes uncompressed. Parquet gives the text of its rows, as N-Quads."""
        unpacked = cast(BinaryIO, _UNPACKERS[self.compression](stream)) if self.compression else stream
        if self.name != PARQUET:
            return unpacked
        from kgreason.rdf.lines.parquet import ParquetText

        return cast(BinaryIO, ParquetText(unpacked, str(getattr(stream, "name", "the stream"))))


def formats() -> dict[str, str]:
    """Return the formats that can be read: a dict from the short name, which is also the suffix, to the title."""
    return dict(_TITLES)


def is_writable_name(text: str) -> bool:
    """Whether a text is the name of a format that can be written, as `writable_format` takes it."""
    return text in WRITABLE or text in _NAMES


def writable_format(name: str) -> str:
    """Return the short name of a format that can be written, which may be given as "turtle". Raises InputError."""
    short = _NAMES.get(name, name)
    if short not in WRITABLE:
        raise InputError(f"{name}: not a format to write; pass one of {', '.join(WRITABLE)}")
    return short


def format_named(name: str) -> Format:
    """Return the format with a name such as `ttl` or `nt.gz`.

    Raises InputError, with the known names, for another name.
    """
    first, _, compression = name.lower().lstrip(".").partition(".")
    if first not in _TITLES or (compression and compression not in _UNPACKERS):
        raise InputError(f"unknown RDF format {name!r}; {_format_names()}")
    return Format(first, compression)


def format_of(path: Path) -> Format:
    """Return the format that the suffixes of a file name stand for.

    Raises InputError, with the known suffixes, for others.
    """
    if _ADDRESS.match(str(path)) and not path.exists():
        address = _ADDRESS.sub(lambda found: f"{found[0]}/", str(path))  # a path has one slash in the place of two
        raise InputError(f"{address}: is a web address; kgreason loads files, so download it first")
    *_, first, last = ["", "", *(suffix.lstrip(".").lower() for suffix in path.suffixes)]
    name, compression = (first, last) if last in _UNPACKERS else (last, "")
    if name not in _TITLES:
        raise InputError(f"{path}: {_no_format(str(path))}")
    return Format(name, compression)


def _no_format(path: str) -> str:
    """Say why a path has no RDF format, and what the user may have meant."""
    if path.endswith(_RULES):
        return "is a file of rules, not of RDF; add its rules with load_rules in a transaction"
    if _TURTLE.search(path):
        return "this looks like Turtle text, not like the name of a file; add text with add(text)"
    if path.endswith(".omn"):
        return f"is {_IN_MANCHESTER}"
    return f"the name does not end in a known RDF format; {_format_names()}"


def head_in_utf_8(head: bytes) -> bytes:
    """Return the first bytes of a text in UTF-8, if they are the beginning of XML in UTF-16 or UTF-32."""
    name = encoding_of(head)
    return head.decode(name, "ignore").encode() if name[:6] in ("utf-16", "utf-32") else head


def encoding_of(head: bytes) -> str:
    """Return the encoding that the first bytes of an XML document show, as Python calls it."""
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), "utf-8")


def exact_format(name: str, head: bytes) -> str:
    """Return the exact format of a file whose format is called `owl` or `xml`, by its first bytes `head`.

    These two names stand for several formats. Parquet is read as N-Quads. Any other `name` is returned as it is.
    """
    if name not in _MIXED:
        return "nq" if name == PARQUET else name
    start = _PROLOG.match(head)
    root = start.end() if start else 0
    if _OWL_XML.match(head, root):
        return "owx"
    if _FUNCTIONAL.match(head):
        return "ofn"
    return "rdf" if name == "xml" or head.lstrip()[:2] in (b"<?", b"<!") or _RDF_XML.match(head, root) else "ttl"


def format_mistake(name: str, head: bytes) -> str | None:
    """Say what is wrong if a text in the format `name` begins as another format does. Otherwise return None.

    `head` has the first bytes of the text.

    >>> format_mistake("nt", b"@prefix : <http://example.org/> .")
    'this looks like Turtle, not like N-Triples; pass the format ttl'
    """
    if name in ("ttl", "ofn") and _MANCHESTER.match(head):
        return f"this is {_IN_MANCHESTER}"
    if name in ("nt", "nq") and _DIRECTIVE.match(head):
        meant = {"nt": "ttl", "nq": "trig"}[name]
        return f"this looks like {_TITLES[meant]}, not like {_TITLES[name]}; pass the format {meant}"
    return None


def _format_names() -> str:
    return f"known formats are {', '.join(_TITLES)}, each also with {', '.join('.' + name for name in _UNPACKERS)}"
