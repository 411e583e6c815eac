"""The facade: graphs that are kept materialized.

knowledge_graph   KnowledgeGraph: open, load, query, dump, stats
materializer      Materializer: the same pipeline without a store, files in, closure out
selection         what `--rules` selects
stratum, program  the schema closed, and the rules that run
repository, folder, snapshot    where a graph lives
storing, quads, facts, report, progress    the parts between engine and store
"""
