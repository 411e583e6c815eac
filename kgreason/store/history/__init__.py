"""The history of a graph: what every commit changed.

entry   one commit
kept    which commits must be kept
log     all kept commits, in files or in memory
"""
