"""rdflib: a Store plugin that reads and edits a materialized graph, and a replacement for owlrl.

    rdflib.Graph(store="kgreason")                            the Store plugin (`store`): reads the materialized graph
    rdflib.Graph(KGReasonStore(KnowledgeGraph.open(...)))     the Store plugin on a graph that is open already
    DeductiveClosure(OWLRL_Semantics).expand(graph)           adds what follows to any rdflib graph (`closure`)

store      KGReasonStore, the Store plugin
graphs     Graphs: which graph of kgreason belongs to a graph of rdflib
pending    Pending: edits that wait for a commit
opening    Place: the store that a configuration string names
sparql     prepares queries and updates of rdflib for kgreason
closure    DeductiveClosure and its semantics
facets     literals of datatypes with facets
conversion  convert_graph: files in, closure, RDF text out
terms      converts terms of rdflib to terms of pyoxigraph and back
"""

from kgreason.bridges.rdflib.closure import (
    DeductiveClosure,
    OWLRL_Extension,
    OWLRL_Extension_Trimming,
    OWLRL_Semantics,
    RDFS_OWLRL_Semantics,
    RDFS_Semantics,
)
from kgreason.bridges.rdflib.conversion import convert_graph, interpret_owl_imports, return_closure_class
from kgreason.bridges.rdflib.store import KGReasonStore

__all__ = [
    "DeductiveClosure",
    "KGReasonStore",
    "OWLRL_Extension",
    "OWLRL_Extension_Trimming",
    "OWLRL_Semantics",
    "RDFS_OWLRL_Semantics",
    "RDFS_Semantics",
    "convert_graph",
    "interpret_owl_imports",
    "return_closure_class",
]
