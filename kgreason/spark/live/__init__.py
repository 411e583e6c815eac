"""Streams of edits, and streams of changes.

edits   turns a micro-batch into edits: quads and rules to add and to remove
stream  commits each micro-batch to a store, exactly once
feed    the changes of every commit of a store, as a stream of rows
"""
