"""The facade: graphs that are kept materialized.

    knowledge_graph   KnowledgeGraph: open, edit, query, explain, dump, stats
    lock              one thread at a time edits a graph, or asks its engine
    input/            quads and terms as users write them
    transaction       edits collected in order; one commit
    user_rules        the user's rules as of a commit
    sparql_update/    edits by SPARQL Update
    commits           LiveGraph: a commit, from the engine to journal and store
    recovery          reads the state of a snapshot, and replays the commits after it
    changes/          the delta of a commit, and who hears of it
    statistics        counts of a state
    results/          answers, matches and tables of them
    match             quads by pattern, literals as they were written
    fork              a graph in memory that begins as a store on disk is

Law: what is committed is in the journal before anybody hears of it.
"""
