"""Facts of relations as users give and read them.

given     rows from tuples, frames or files -> terms, checked against the columns of the relation
pending   the facts that a transaction inserts, deletes and upserts
relation  `GraphRelation` and `PendingRelation`: what `graph.relation(name)` and `tx.relation(name)` give
files     CSV files -> rows of fields
fields    a term <-> a field of a CSV file
"""
