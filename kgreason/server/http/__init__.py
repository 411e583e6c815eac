"""HTTP below the paths: what RFC 9110 says of every request and answer, and the connections that carry them.

connection    one connection, and how many there may be
lists         a list header on several lines is one list
conditions    entity tags, If-Match and If-None-Match
compression   answers in gzip format
"""
