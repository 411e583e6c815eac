"""pySHACL: a replacement for `pyshacl.validate`, with kgreason's rules in the place of its walk over the graph.

    conforms, results_graph, results_text = validate(data, shacl_graph=shapes)

validation   validate: the options of pySHACL, and the steps
sources      graphs, files and texts as one graph of rdflib
filters      use_shapes and focus_nodes, as edits of the shapes graph
text         a report as pySHACL writes it
"""

from kgreason.bridges.pyshacl.validation import validate

__all__ = ["validate"]
