"""Compare two versions of an ontology.

labels      gives the same labels to blank nodes of both versions if the same triples are around them
comparison  compares what the two versions entail
text        writes a comparison as text
"""
