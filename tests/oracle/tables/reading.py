"""Files of RDF as triples of N-Triples text, read with pyoxigraph: any format it knows, and `.gz` of it."""

from __future__ import annotations

import gzip
from pathlib import Path

from pyoxigraph import RdfFormat, parse

from tests.oracle.graph import Triple


def read(path: Path) -> set[Triple]:
    """The triples of all graphs of a file; `.owl` is RDF/XML."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    suffix = path.name.removesuffix(".gz").rpartition(".")[2]
    format_ = RdfFormat.from_extension("rdf" if suffix == "owl" else suffix)
    quads = parse(data, format_, base_iri=f"http://example.org/{path.name}")
    return {(str(quad.subject), str(quad.predicate), str(quad.object)) for quad in quads}
