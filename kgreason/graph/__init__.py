"""The facade: graphs that are kept materialized.

    knowledge_graph   KnowledgeGraph: open, edit, query
    readable_graph    what the state and the history of a graph tell: explain, dump, stats, log
    opening/          the options of a graph, and the home that they open
    state/            the graph after its last commit: at rest, or running
    lock              one thread at a time edits a graph, or asks its engine
    open_transaction  the transaction that a graph has open, and who hears of its commit
    input/            quads and terms as users write them
    transaction       edits collected in order; one commit
    user_rules        the user's rules as of a commit
    sparql_update/    edits by SPARQL Update
    commits           Committer: a commit, from the engine to journal and store
    consistency       which contradictions a commit brings and ends
    recovery          reads the state of a snapshot, and replays the commits after it
    changes/          the delta of a commit, and who hears of it
    history/          earlier commits: log, deltas, revert, the graph as it was
    explanations/     proofs of single facts, and why a fact does not hold
    results/          answers, matches and tables of them
    match             quads by pattern, literals as they were written
    fork              a graph in memory that begins as a store on disk is

Law: what is committed is in the journal before anybody hears of it.
"""
