"""Compare two versions of an ontology.

labels      gives blank nodes of both versions the same label if they have the same triples around them
comparison  compares what the two versions entail
text        writes a comparison as text
"""
