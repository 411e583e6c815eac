"""The description of the service (SPARQL 1.1 Service Description): the answer to a GET of /query without parameters."""

from __future__ import annotations

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat
from starlette.requests import Request
from starlette.responses import Response

from kgreason import __version__
from kgreason.server.formats import QUADS, SOLUTIONS, TRIPLES, content_type, required_format
from kgreason.terms.vocabulary import RDF_TYPE

_SD = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_NAMES = {
    "json": "SPARQL_Results_JSON",
    "xml": "SPARQL_Results_XML",
    "csv": "SPARQL_Results_CSV",
    "tsv": "SPARQL_Results_TSV",
    "nt": "N-Triples",
    "ttl": "Turtle",
    "rdf": "RDF_XML",
    "jsonld": "JSON-LD",
    "n3": "N3",
    "nq": "N-Quads",
    "trig": "TriG",
}


def description(request: Request) -> Response:
    """Answer a request with the description of the server, in the format that the request wants."""
    form = required_format(request.headers.get("accept"), TRIPLES)
    text = pyoxigraph.serialize(service_triples(str(request.base_url)), format=RdfFormat.from_extension(form)) or b""
    return Response(text, headers={"Vary": "Accept", "Content-Type": content_type(TRIPLES[form][0])})


def service_triples(root: str) -> list[Quad]:
    """Return the triples that describe the server. `root` is the address of the server; it ends in `/`."""
    service, dataset, graph = BlankNode("service"), BlankNode("dataset"), BlankNode("graph")
    found = [
        Quad(service, NamedNode(RDF_TYPE.strip("<>")), _sd_term("Service")),
        Quad(service, _sd_term("endpoint"), NamedNode(f"{root}query")),
        Quad(service, _sd_term("endpoint"), NamedNode(f"{root}update")),
        Quad(service, _sd_term("feature"), _sd_term("UnionDefaultGraph")),
        Quad(service, _sd_term("defaultEntailmentRegime"), NamedNode("http://www.w3.org/ns/entailment/OWL-RDF-Based")),
        Quad(service, _sd_term("defaultDataset"), dataset),
        Quad(dataset, NamedNode(RDF_TYPE.strip("<>")), _sd_term("Dataset")),
        Quad(dataset, _sd_term("defaultGraph"), graph),
        Quad(graph, NamedNode(RDF_TYPE.strip("<>")), _sd_term("Graph")),
        Quad(service, NamedNode("http://purl.org/dc/terms/hasVersion"), Literal(f"kgreason {__version__}")),
    ]
    found += [Quad(service, _sd_term("supportedLanguage"), _sd_term(f"SPARQL11{each}")) for each in ("Query", "Update")]
    results = [_format_iri(each) for each in (*SOLUTIONS, *TRIPLES)]
    inputs = [_format_iri(each) for each in (*TRIPLES, *QUADS)]
    found += [Quad(service, _sd_term("resultFormat"), each) for each in results]
    return found + [Quad(service, _sd_term("inputFormat"), each) for each in inputs]


def _sd_term(name: str) -> NamedNode:
    return NamedNode(_SD + name)


def _format_iri(name: str) -> NamedNode:
    return NamedNode(_FORMATS + _NAMES[name])
