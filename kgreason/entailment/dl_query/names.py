"""`Names`: the IRIs that the names of a class expression stand for, in one graph.

    <http://e/Hand>    the IRI
    obo:GO_1           a prefix of the graph or of the caller
    'left hand'        the rdfs:label, or the end of the IRI
    Hand               the same; of several IRIs the one with the empty prefix

Law: a name stands for one IRI that the graph mentions, or is refused. Cost: a look-up for an IRI; for a label or an end
of an IRI one SPARQL query that reads all triples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from pyoxigraph import Literal, NamedNode

from kgreason.entailment.dl_query.manchester import short_text
from kgreason.errors import InputError
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    from kgreason.client.graph import RemoteGraph
    from kgreason.graph.knowledge_graph import KnowledgeGraph

Graph: TypeAlias = "KnowledgeGraph | RemoteGraph"
_MENTIONED = "ASK {{ {{ {0} ?p ?o }} UNION {{ ?s {0} ?o }} UNION {{ ?s ?p {0} }} }}"
_LABELLED = f"SELECT DISTINCT ?x {{{{ ?x {v.RDFS_LABEL} ?label FILTER(isIRI(?x) && STR(?label) = {{0}}) }}}}"
_ENDING = """SELECT DISTINCT ?x {{ {{ ?x ?p ?o }} UNION {{ ?s ?x ?o }} UNION {{ ?s ?p ?x }}
    FILTER(isIRI(?x) && STRENDS(STR(?x), {0})) }}"""
_SHOWN = 5


class Names:
    """The names of a graph. `prefixes` are those of the caller, and come before those of the graph."""

    def __init__(self, graph: Graph, prefixes: Mapping[str, str]) -> None:
        self._graph = graph
        self._prefixes = {"rdf": v.RDF, "rdfs": v.RDFS, "owl": v.OWL, "xsd": v.XSD, **graph.prefixes, **prefixes}

    def iri(self, name: str) -> str:
        """Return the IRI that a name stands for. Raises InputError if there is none, or if there are several."""
        if name.startswith("'"):
            return self._iri_by_label(re.sub(r"\\(.)", r"\1", name[1:-1]))
        if name.startswith("<"):
            return self._iri_in_graph(name[1:-1], name)
        prefix, colon, local = name.partition(":")
        if not colon:
            return self._iri_by_label(name)
        if prefix not in self._prefixes:
            raise InputError(
                f"{short_text(name)}: the prefix {short_text(prefix)}: is not known; write it in <>, or declare the"
                " prefix"
            )
        return self._iri_in_graph(self._prefixes[prefix] + local, name)

    def _iri_in_graph(self, iri: str, name: str) -> str:
        try:
            term = str(NamedNode(iri))
        except ValueError as error:
            raise InputError(f"{short_text(name)}: this is not an IRI: {short_text(str(error))}") from error
        if not iri.startswith(v.BUILT_IN) and not self._graph.ask(_MENTIONED.format(term)):
            raise InputError(f"{short_text(name)}: the graph does not mention it")
        return iri

    def _iri_by_label(self, name: str) -> str:
        """Return the IRI with a label, or else the one with an end after its last `#`, `/` or `:`."""
        found = self._iris(_LABELLED, name) or [each for each in self._iris(_ENDING, name) if _local_part(each) == name]
        preferred = self._prefixes.get("", "\0") + name
        if preferred in found or len(found) == 1:
            return preferred if preferred in found else found[0]
        if not found:
            raise InputError(
                f"{short_text(name)}: the graph has no class, property or individual with this label or name"
            )
        shown = ", ".join(f"<{each}>" for each in found[:_SHOWN])
        raise InputError(
            f"{short_text(name)}: this may be {shown}{', ...' if len(found) > _SHOWN else ''}; write the IRI in <>"
        )

    def _iris(self, sparql: str, name: str) -> list[str]:
        return sorted(str(row["x"])[1:-1] for row in self._graph.select(sparql.format(str(Literal(name)))))


def _local_part(iri: str) -> str:
    return re.split(r"[#/:]", iri)[-1]
