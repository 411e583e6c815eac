"""The shapes graph over HTTP, and validation.

shapes       /shapes: reads and edits the shapes graph
validate     /validate: the validation report
"""
