"""Streams of commits, sent to clients as the commits are made.

feed      gives past and new commits to the streams of /changes
renewals  standing queries that are evaluated as a whole again
turns     one call at a time, by turns of the readers
views     how a stream shows a commit
"""
