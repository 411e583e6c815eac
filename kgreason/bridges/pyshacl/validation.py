"""`validate`: validates a graph of rdflib as `pyshacl.validate` does, with its options and its three values.

    from kgreason.bridges.pyshacl import validate

The data and the shapes go to a graph in memory, whose rules are those of the shapes. Terms count as they are written.

    pySHACL's option              here
    ont_graph                     its triples are read with the data
    inference                     "rdfs", "owlrl", "both": kgreason's closure (`DeductiveClosure`) is added to a copy
    inplace                       ontology and inferred triples, also those of sh:rule, are added to the graph itself
    advanced                      without it sh:rule, sh:target and expressions are left out, as pySHACL does; with it,
                                  kgreason refuses by name what it cannot do. Rules of one sh:order do not see each
                                  other, as SHACL-AF says
    iterate_rules                 the rules are one fixpoint, as sh:entailment <urn:kgreason:iterated-rules> says
    abort_on_first                the report has one result
    allow_infos, allow_warnings   results that are only that conform
    focus_nodes, use_shapes       as in pySHACL (`filters`)
    *_format, serialize_report_graph   as in pySHACL
    js, meta_shacl, sparql_mode, max_validation_depth, do_owl_imports, check_dash_result and
    multi_data_graphs_mode="validate_each" are errors

Unlike pySHACL a shapes graph that is ill-formed is an error (ShapesError), never a report.

Cost: reading both graphs, a few microseconds for each triple, and the evaluation by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rdflib.graph import Graph
from rdflib.namespace import SH
from rdflib.term import BNode, Node, URIRef

from kgreason.bridges.pyshacl.filters import with_chosen_targets
from kgreason.bridges.pyshacl.sources import Source, graph_of, lines_of
from kgreason.bridges.pyshacl.text import results_text, with_message
from kgreason.bridges.rdflib.closure import DeductiveClosure, OWLRL_Semantics, RDFS_OWLRL_Semantics, RDFS_Semantics
from kgreason.bridges.rdflib.terms import Triple, to_rdflib, to_text
from kgreason.errors import InputError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.shapes.inference.rules import ITERATED
from kgreason.shapes.report import Report
from kgreason.shapes.result import Result, shortener

_INFERENCE = {"rdfs": RDFS_Semantics, "owlrl": OWLRL_Semantics, "both": RDFS_OWLRL_Semantics}
_REFUSED = (
    "js",
    "meta_shacl",
    "sparql_mode",
    "max_validation_depth",
    "do_owl_imports",
    "check_dash_result",
)
_IGNORED = {"debug", "logger"}
_FORMATS = ("data_graph_format", "shacl_graph_format", "ont_graph_format", "serialize_report_graph")
_ADVANCED = {URIRef(f"{SH}{name}") for name in ("rule", "target", "expression", "values")}
_MILD: dict[Node, int] = {SH.Info: 1, SH.Warning: 2}


def validate(
    data_graph: Source | Sequence[Source],
    *args: object,
    shacl_graph: Source | None = None,
    ont_graph: Source | None = None,
    advanced: bool | None = False,
    iterate_rules: bool | None = False,
    inference: str | None = None,
    inplace: bool | None = False,
    abort_on_first: bool | None = False,
    allow_infos: bool | None = False,
    allow_warnings: bool | None = False,
    focus_nodes: Sequence[str] | None = None,
    use_shapes: Sequence[str] | None = None,
    multi_data_graphs_mode: str | None = None,
    **options: Any,
) -> tuple[bool, Graph | bytes, str]:
    """Validate data against shapes; returns whether it conforms, the report as a graph, and the report as text.

    The arguments are those of `pyshacl.validate`; the module says which options are errors. Without `shacl_graph` the
    shapes are in the data. Raises InputError, RdfSyntaxError, and ShapesError for shapes that cannot be used.

    >>> data = "@prefix : <http://e/> . :tom a :Cat ."
    >>> shapes = '''@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
    ...     :CatShape sh:targetClass :Cat ; sh:property [ sh:path :name ; sh:minCount 1 ] .'''
    >>> conforms, graph, text = validate(data, shacl_graph=shapes)
    >>> conforms, "MinCountConstraintComponent" in text
    (False, True)
    """
    _check(args, options, multi_data_graphs_mode)
    data = graph_of(data_graph, options.get("data_graph_format"))
    shapes = data if shacl_graph is None else graph_of(shacl_graph, options.get("shacl_graph_format"))
    ontology = None if ont_graph is None else graph_of(ont_graph, options.get("ont_graph_format"))
    lines = lines_of(_with_inference(data, ontology, inference, inplace=bool(inplace)))
    triples = with_chosen_targets(
        shapes,
        use_shapes or (),
        focus_nodes or (),
        lambda targets: [_focus(each) for each in _report(lines, targets).results],
    )
    made = data if advanced and inplace else None
    report = _report(lines, _relevant_triples(triples, advanced=bool(advanced), iterated=bool(iterate_rules)), made)
    if abort_on_first or options.get("abort_on_error"):
        report.results = report.results[:1]
    mildest = 2 if allow_warnings else 1 if allow_infos else 0
    conforms = all(_MILD.get(to_rdflib(each.severity), 3) <= mildest for each in report.results)
    return conforms, *_serialize(report, conforms, shapes, options.get("serialize_report_graph"))


def _check(args: tuple[object, ...], options: dict[str, Any], mode: str | None) -> None:
    """Raise InputError for an option that kgreason does not have."""
    if args:
        raise InputError("validate takes one positional argument, the data graph")
    for name, value in options.items():
        if name in _REFUSED and value:
            raise InputError(f"{name} is not supported")
        if name not in (*_REFUSED, *_IGNORED, *_FORMATS, "abort_on_error"):
            raise InputError(f"{name}: pyshacl.validate has no such option")
    if mode not in (None, "combine"):
        raise InputError(f"multi_data_graphs_mode={mode!r} is not supported: several data graphs are read as one")


def _with_inference(data: Graph, ontology: Graph | None, inference: str | None, *, inplace: bool) -> Graph:
    if inference not in (None, "none", *_INFERENCE):
        raise InputError(f"inference={inference!r}: it is one of rdfs, owlrl, both, none")
    inferring = inference in _INFERENCE
    if ontology is None and not inferring:
        return data
    found = data if inplace else Graph()
    if not inplace:
        found += data
    found += ontology or ()
    if inferring:
        DeductiveClosure(_INFERENCE[str(inference)]).expand(found)
    return found


def _relevant_triples(shapes: Iterable[Triple], *, advanced: bool, iterated: bool) -> set[Triple]:
    """Return the triples of a shapes graph that count."""
    if not advanced:
        return {each for each in shapes if each[1] not in _ADVANCED}
    return {*shapes, *([(BNode(), SH.entailment, URIRef(ITERATED[1:-1]))] if iterated else [])}


def _report(lines: bytes, shapes: Iterable[Triple], made: Graph | None = None) -> Report:
    """Validate data; the graph `made` gets what rules make."""
    with KnowledgeGraph.open(rules=["none"], late=True) as graph:
        with graph.transaction() as transaction:
            transaction.add_lines(lines)
            transaction.shapes.add_triples((to_text(s), to_text(p), to_text(o)) for s, p, o in shapes)
        if made is not None:
            for triple in graph_of(b"".join(graph.dump(asserted=False)), "nt"):
                made.add(triple)
        return graph.validate()


def _focus(result: Result) -> tuple[Node, Node]:
    return to_rdflib(result.source_shape), to_rdflib(result.focus)


def _serialize(report: Report, conforms: bool, shapes: Graph, syntax: object) -> tuple[Graph | bytes, str]:
    """Return the report as a graph and as text."""
    names = dict(shapes.namespace_manager.namespaces())
    short = shortener({prefix: str(space) for prefix, space in names.items()})
    report.conforms, report.results = conforms, tuple(with_message(each, short) for each in report.results)
    graph = report.to_graph()
    for prefix, space in names.items():
        graph.bind(prefix, space)
    text = results_text(report.results, conforms, short)
    if not syntax:
        return graph, text
    return graph.serialize(format=syntax if isinstance(syntax, str) else "turtle", encoding="utf-8"), text
