"""SHACL validation: beside pySHACL and other validators, in turns, and one edit beside a first validation.

    beside_pyshacl   `kgreason.bridges.pyshacl.validate` over `pyshacl.validate`: a department of LUBM in rdflib
    first            shapes for a loaded graph, until the report, over `pyshacl.validate`: LUBM(5,0), or Brick 1.1 with
                     the building VM3A, whose report must have the same results as that of pySHACL, not only as many
    edit             one triple about a student, over a first validation of the same graph: LUBM(5,0)
    beside           from the files to the results, over another validator of PyPI: LUBM(1,0)

The shapes say what people, courses and departments have, by most components of SHACL Core; some nodes violate them.
All get the same triples, and must find the same number of results. Cost: some seconds a round; `first` takes a minute.
"""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.closures import file_of
from benchmarks.lubm import NAMESPACE, ONTOLOGY
from benchmarks.model import Measurement
from benchmarks.timing import alternate, timed
from benchmarks.workspace import SkippedError, Workspace
from kgreason import KnowledgeGraph
from kgreason.lubm import generate
from kgreason.shapes.report import Report

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
_INTERESTS = " ".join(f'"Research{number}"' for number in range(1, 29))
CORE = rf"""
    @prefix : <{NAMESPACE}> . @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://example.org/shapes/> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    e:Person sh:targetSubjectsOf :emailAddress ; sh:property
        [ sh:path :name ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:string ; sh:minLength 5 ;
          sh:uniqueLang true ] ,
        [ sh:path :emailAddress ; sh:maxCount 1 ;
          sh:pattern "^[A-Z][A-Za-z0-9]+@Department[0-9]+\\.University[0-9]+\\.edu$" ] ,
        [ sh:path :telephone ; sh:pattern "^[x0-9-]{{12}}$" ; sh:nodeKind sh:Literal ] .
    e:Undergraduate sh:targetClass :UndergraduateStudent ; sh:property
        [ sh:path :takesCourse ; sh:minCount 2 ; sh:class :Course ; sh:nodeKind sh:IRI ] ,
        [ sh:path :advisor ; sh:maxCount 1 ; sh:class :Professor ] .
    e:Graduate sh:targetClass :GraduateStudent ; sh:property
        [ sh:path :advisor ; sh:minCount 1 ; sh:maxCount 1 ; sh:node e:Adviser ] ,
        [ sh:path :undergraduateDegreeFrom ; sh:class :University ; sh:minCount 1 ] ,
        [ sh:path :takesCourse ; sh:class :GraduateCourse ; sh:minCount 2 ] .
    e:Adviser sh:property [ sh:path :researchInterest ; sh:minCount 1 ; sh:datatype xsd:string ] .
    e:FullProfessor sh:targetClass :FullProfessor ; sh:property
        [ sh:path :teacherOf ; sh:qualifiedValueShape [ sh:class :GraduateCourse ] ; sh:qualifiedMinCount 1 ] .
    e:Interest sh:targetSubjectsOf :researchInterest ; sh:property
        [ sh:path :researchInterest ; sh:in ( {_INTERESTS} ) ] .
    e:Member sh:targetSubjectsOf :memberOf ;
        sh:or ( [ sh:class :Student ] [ sh:class :GraduateStudent ]
                [ sh:property [ sh:path :worksFor ; sh:minCount 1 ] ] ) ;
        sh:not [ sh:class :Department ] .
    e:Head sh:targetSubjectsOf :headOf ; sh:property [ sh:path :headOf ; sh:equals :worksFor ] .
    e:Course sh:targetClass :Course ; sh:closed true ; sh:ignoredProperties ( rdf:type ) ; sh:property
        [ sh:path :name ; sh:pattern "Course" ] ,
        [ sh:path [ sh:inversePath :takesCourse ] ; sh:minCount 1 ] .
    e:Publication sh:targetClass :Publication ; sh:closed true ; sh:ignoredProperties ( rdf:type ) ; sh:property
        [ sh:path :publicationAuthor ; sh:minCount 1 ; sh:maxCount 6 ; sh:nodeKind sh:IRI ;
          sh:or ( [ sh:class :Faculty ] [ sh:class :GraduateStudent ] ) ] ,
        [ sh:path :name ; sh:maxLength 13 ] .
    e:Department sh:targetClass :Department ; sh:property
        [ sh:path :subOrganizationOf ; sh:hasValue <http://www.University0.edu> ; sh:class :University ] ,
        [ sh:path ( [ sh:inversePath :worksFor ] :teacherOf ) ; sh:minCount 10 ; sh:class :Course ] .
    e:Faculty sh:targetSubjectsOf :teacherOf ; sh:property [ sh:path :name ; sh:lessThan :emailAddress ] .
    e:Assistant sh:targetSubjectsOf :teachingAssistantOf ; sh:node e:Student .
    e:Student sh:property [ sh:path :takesCourse ; sh:minCount 1 ] , [ sh:path :emailAddress ; sh:minCount 1 ] .
"""
BRICK = r"""
    @prefix : <https://brickschema.org/schema/1.1/Brick#> .
    @prefix f: <https://brickschema.org/schema/1.0.2/BrickFrame#> . @prefix e: <http://example.org/shapes/> .
    @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    e:Terminal sh:targetClass :Terminal_Unit ; sh:property
        [ sh:path :feeds ; sh:minCount 1 ; sh:class :HVAC_Zone ] ,
        [ sh:path [ sh:inversePath :feeds ] ; sh:minCount 1 ; sh:maxCount 1 ; sh:class :AHU ] ,
        [ sh:path :hasPoint ; sh:class :Point ; sh:qualifiedMinCount 1 ;
          sh:qualifiedValueShape [ sh:class :Air_Flow_Sensor ] ] ,
        [ sh:path :hasPoint ; sh:qualifiedMaxCount 1 ;
          sh:qualifiedValueShape [ sh:class :Zone_Air_Temperature_Sensor ] ] .
    e:Handler sh:targetClass :AHU ; sh:node e:Equipment ; sh:property
        [ sh:path :feeds ; sh:minCount 20 ; sh:class :VAV ; sh:disjoint :isFedBy ] ,
        [ sh:path ( [ sh:oneOrMorePath :feeds ] :hasPart ) ; sh:minCount 20 ; sh:class :Room ] .
    e:Equipment sh:property [ sh:path :hasPoint ; sh:minCount 1 ] ;
        sh:not [ sh:class :Location ] .
    e:Zone sh:targetClass :HVAC_Zone ; sh:property
        [ sh:path :hasPart ; sh:minCount 1 ; sh:maxCount 1 ; sh:class :Room ] ,
        [ sh:path ( [ sh:inversePath :feeds ] :hasPoint ) ; sh:minCount 8 ] .
    e:Room sh:targetClass :Room ; sh:property
        [ sh:path [ sh:inversePath :hasPart ] ; sh:minCount 2 ;
          sh:or ( [ sh:class :Floor ] [ sh:class :HVAC_Zone ] ) ] .
    e:Point sh:targetSubjectsOf f:uuid ; sh:class :Point ; sh:property
        [ sh:path f:uuid ; sh:maxCount 1 ; sh:pattern "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" ] ,
        [ sh:path f:pointname ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:string ; sh:maxLength 40 ;
          sh:pattern "^VM3A\\.[A-Z]+\\.[A-Za-z0-9]+\\.[A-Za-z0-9 ]+$" ] ,
        [ sh:path [ sh:inversePath :hasPoint ] ; sh:minCount 1 ; sh:maxCount 1 ; sh:node e:Equipment ] .
    e:Site sh:targetSubjectsOf f:hasSite ; sh:property
        [ sh:path f:hasSite ; sh:maxCount 1 ; sh:nodeKind sh:IRI ] ,
        [ sh:path [ sh:zeroOrMorePath [ sh:alternativePath ( [ sh:inversePath :hasPoint ] :isPartOf ) ] ] ;
          sh:minCount 1 ] .
"""
_ROUNDS, _EDITS = 3, 200
_SHACL = "http://www.w3.org/ns/shacl#"
_RESULT = f"{_SHACL}ValidationResult"


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


def first(name: str, workspace: Workspace) -> Measurement:
    """Load shapes into a graph, "lubm5" or "brick", and read the report. Raises SkippedError without pySHACL."""
    if importlib.util.find_spec("pyshacl") is None:
        raise SkippedError("pyshacl is not installed")
    import pyshacl
    import rdflib

    text = BRICK if name == "brick" else CORE
    with _building(workspace) if name == "brick" else _graph(workspace, 5) as graph:
        data, shapes = rdflib.Graph(), rdflib.Graph().parse(data=text)
        for lines in graph.dump(asserted=True):
            data.parse(data=lines, format="nt")
        reports, others = list[Report](), list[rdflib.Graph]()

        def own() -> None:
            graph.shapes.load(text)
            reports.append(graph.validate())
            assert len(reports[0])

        def other() -> None:
            report = pyshacl.validate(data, shacl_graph=shapes)[1]
            assert isinstance(report, rdflib.Graph)
            others.append(report)

        _warm()
        pairs = alternate(lambda: timed(own), lambda: timed(other), 1)
        difference = _results(reports[0].to_graph()) ^ _results(others[0])
        assert not difference, f"the reports of kgreason and pySHACL differ in {len(difference)} results: {difference}"
        sizes = {"triples": (float(len(data)), "triples"), "results": (float(len(reports[0])), "results")}
    return Measurement(pairs.ratio, f"in one process, {pairs}", sizes)


def edit(workspace: Workspace) -> Measurement:
    """Give students a second e-mail address, one a commit; their shape allows one."""
    with _graph(workspace, 5) as graph:
        _warm()

        def validate() -> None:
            graph.shapes.load(CORE)
            assert len(graph.validate())

        seconds = timed(validate)
        before, edits = len(graph.validate()), list[float]()
        for number in range(_EDITS + 1):
            student = f"http://www.Department{number % 10}.University0.edu/UndergraduateStudent{number}"
            triple = student, f"{NAMESPACE}emailAddress", f'"second{number}"'
            start = time.perf_counter()
            graph.add(triple)
            edits.append(time.perf_counter() - start)
        found = len(graph.validate()) - before
        assert found == 2 * len(edits), f"{found} new results after {len(edits)} edits"  # too many, and no pattern
    typical = median(edits[1:])
    how = f"{typical * 1000:.3g} ms over {seconds:.3g} s; median of {_EDITS} edits in a process"
    return Measurement(typical / seconds, how)


def beside(name: str, workspace: Workspace) -> Measurement:
    """Validate LUBM(1,0) from files to results, also by the validator `name`. Raises SkippedError without it."""
    module, other = _RIVALS[name]
    if importlib.util.find_spec(module) is None:
        raise SkippedError(f"{name} is not installed")
    rival = importlib.import_module(module)
    data, shapes = workspace.folder / "validated.nt", workspace.folder / "shapes.ttl"
    shapes.write_text(CORE)
    with _graph(workspace, 1) as graph:
        data.write_bytes(b"".join(graph.dump(asserted=True)))
    found = list[int]()

    def own() -> None:
        with KnowledgeGraph.open(rules=["none"], late=True) as graph:
            with graph.transaction() as transaction:
                transaction.load(data)
                transaction.shapes.load(shapes)
            found.append(len(graph.validate()))

    own()
    pairs = alternate(lambda: timed(own), lambda: timed(lambda: found.append(other(rival, data, shapes))), _ROUNDS)
    assert len(set(found)) == 1, f"kgreason has {found[0]} results, {name} {found[2]}"
    return Measurement(pairs.ratio, f"in one process, {pairs}", {"results": (float(found[0]), "results")})


def _graph(workspace: Workspace, universities: int) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(rules=["none"])
    graph.load(workspace.lubm(universities), workspace.ontology(ONTOLOGY))
    return graph


def _building(workspace: Workspace) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(rules=["none"])
    graph.load(file_of("brick", workspace))
    return graph


def _results(report: Any) -> set[tuple[str, ...]]:
    """Return the results of a report, a graph of rdflib, without the names of blank nodes."""
    import rdflib

    names = ("focusNode", "resultPath", "value", "sourceConstraintComponent", "resultSeverity")
    found = Counter(
        tuple(_text(report.value(result, rdflib.URIRef(f"{_SHACL}{name}"))) for name in names)
        for result in report.subjects(rdflib.RDF.type, rdflib.URIRef(_RESULT))
    )
    return {(*result, str(number)) for result, number in found.items()}


def _text(term: Any) -> str:
    import rdflib

    return "a blank node" if isinstance(term, rdflib.BNode) else str(term)


def _warm() -> None:
    """Validate one student, so that imports and kernels are not counted."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(("http://e/a", f"{NAMESPACE}emailAddress", '"a"'))
        graph.shapes.load(CORE)
        assert len(graph.validate())


def _shifty(rival: Any, data: Path, shapes: Path) -> int:
    found = rival.validate_algebra(data.read_text(), shapes.read_text())
    return sum(len(each.reasons) for each in found.violations)


def _turbo(rival: Any, data: Path, shapes: Path) -> int:
    _, _, text = rival.validate(str(data), shacl_graph=str(shapes), data_graph_format="nt", shacl_graph_format="turtle")
    return int(text.partition("Results (")[2].partition(")")[0])


_RIVALS: dict[str, tuple[str, Callable[[Any, Path, Path], int]]] = {
    "shacl": ("shacl", lambda rival, data, shapes: len(rival.Shapes.from_file(str(shapes)).validate_file(str(data)))),
    "pyshifty": ("shifty", _shifty),
    "pyshacl-turbo": ("pyshacl_turbo", _turbo),
}
"""The validators of PyPI: the module of each, and what counts its results."""
RIVALS = tuple(_RIVALS)
