"""What the server tells as it happens.

feed     the past commits and the news, for /changes
views    how a stream shows a commit
"""
