"""SHACL validation of a graph in rdflib: `kgreason.bridges.pyshacl.validate` over `pyshacl.validate`, in turns.

The data is a department of LUBM. The shapes say what people and courses have, by class, path and pattern. Both get the
same graphs, and must find the same number of results. Cost: some seconds a round.
"""

from __future__ import annotations

import importlib.util

from benchmarks.lubm import NAMESPACE
from benchmarks.model import Measurement
from benchmarks.timing import alternate, timed
from benchmarks.workspace import SkippedError, Workspace
from kgreason.lubm import generate

SHAPES = f"""
    @prefix : <{NAMESPACE}> . @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://example.org/shapes/> .
    e:Student sh:targetClass :UndergraduateStudent ; sh:property
        [ sh:path :takesCourse ; sh:minCount 3 ; sh:class :Course ] ,
        [ sh:path :emailAddress ; sh:pattern "@" ; sh:maxCount 1 ] ,
        [ sh:path :advisor ; sh:maxCount 1 ; sh:nodeKind sh:IRI ] .
    e:Professor sh:targetSubjectsOf :teacherOf ; sh:property
        [ sh:path :worksFor ; sh:minCount 1 ; sh:class :Department ] ,
        [ sh:path [ sh:inversePath :advisor ] ; sh:minCount 1 ] .
"""
_ROUNDS = 3
_RESULT = "http://www.w3.org/ns/shacl#ValidationResult"


def beside_pyshacl(_: Workspace) -> Measurement:
    """Validate the first department of LUBM. Raises SkippedError without pySHACL."""
    if importlib.util.find_spec("pyshacl") is None:
        raise SkippedError("pyshacl is not installed")
    import pyshacl
    import rdflib

    from kgreason.bridges.pyshacl import validate

    lines = next(iter(generate(1)))[1]
    data, shapes = rdflib.Graph().parse(data="".join(lines), format="nt"), rdflib.Graph().parse(data=SHAPES)
    found = []
    for each in (validate, pyshacl.validate):
        report = each(data, shacl_graph=shapes)[1]
        assert isinstance(report, rdflib.Graph)
        found.append(len(set(report.subjects(rdflib.RDF.type, rdflib.URIRef(_RESULT)))))
    assert found[0] == found[1] > 0, f"kgreason has {found[0]} results, pySHACL {found[1]}"
    pairs = alternate(
        lambda: timed(lambda: validate(data, shacl_graph=shapes)),
        lambda: timed(lambda: pyshacl.validate(data, shacl_graph=shapes)),
        _ROUNDS,
    )
    others = {"triples": (float(len(data)), "triples"), "results": (float(found[0]), "results")}
    return Measurement(pairs.ratio, f"in one process, {pairs}", others)
