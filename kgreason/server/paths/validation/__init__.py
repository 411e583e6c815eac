"""The shapes graph over HTTP, and validation.

documents    the documents of shapes in a request, and the check of their queries
shapes       /shapes: reads and edits the shapes graph
validate     /validate: the validation report
"""
