"""Streams of commits, sent to clients as the commits are made.

feed     gives past and new commits to the streams of /changes
views    how a stream shows a commit
"""
