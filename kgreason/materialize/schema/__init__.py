"""The schema of a graph, as triples: which they are, their closure, and what the rules do not read.

rows      which triples belong to the schema, by their ids
closure   the closed schema, by an engine of its own
twins     restrictions that say the same
wide      kinds of axioms that are too many to translate each
unread    axioms of OWL that no rule reads
"""
