"""Streams of edits, and streams of changes.

stream  commits each micro-batch to a store, exactly once
feed    the changes of every commit of a store, as a stream of rows
"""
