"""The facade: graphs that are kept materialized.

knowledge_graph   KnowledgeGraph: open, edit, query, explain, dump, stats
transaction, editing, updating, terms    edits: collected, by SPARQL Update, as users write them
user_terms, arguments    terms as users write them; arguments of wrong types
answers           solutions, triples and matches
frames, columns, notebook    tables of pandas, PyArrow and Polars; tables in notebooks
delta             what a commit changed
live              LiveGraph: commits, from the engine to journal and store
materializer      Materializer: the same pipeline without a store, quads and rules in, changes out
selection         what `--rules` selects
stratum, program  the schema closed, and the rules that run
explaining        the engine's facts as proofs need them
reference         the executable specification in place of the engine
written           quads by pattern, literals in the forms in which they were written
log               what `logging` is told
subscribers       who is told of every commit
repository, folder, snapshot, replaying    where a graph lives
follower, fork    a store's commits told to others; a graph that begins as a store is
storing, quads, facts, report, progress    the parts between engine and store
"""
