"""Two versions of an ontology: `labels` for blank nodes, `comparison` of what they entail, and its `text`."""
