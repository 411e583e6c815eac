"""Queries of a shapes graph: from the text of a SELECT, ASK or CONSTRUCT to bodies of rules.

tokens         a text without comments, split at its words and brackets
groups         a group of a query as a tree: patterns, filters, OPTIONAL, UNION, EXISTS, GRAPH, sub-SELECT
paths          property paths in the text of a query
alternatives   a tree -> alternatives, each of patterns, filters and NOT EXISTS alone
compiler       Compiler: alternatives -> bodies of rules; relations for what one body cannot say
grouping       GROUP BY and HAVING
forms          the forms of a query, and what SHACL forbids
"""
