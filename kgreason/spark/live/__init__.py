"""Streams of edits, and streams of changes.

edits   a micro-batch as quads that come and go
stream  micro-batches into a store, each once
feed    what every commit changes, as a stream table
"""
