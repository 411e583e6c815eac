"""Streams of commits, sent to clients as the commits are made.

feed     the past commits and the new ones, for /changes
views    how a stream shows a commit
"""
