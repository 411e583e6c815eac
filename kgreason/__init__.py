"""kgreason keeps an RDF knowledge graph materialized: what is entailed is there, and edits recompute what they change.

The public names are here; each is described where it is defined.
"""

__version__ = "0.1.0"
