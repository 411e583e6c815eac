"""What each path of the server does.

served        the parts of the server that a path uses; parameters of a request
query         /query: SPARQL queries
update        /update: SPARQL updates
store         /store: the Graph Store Protocol
documents     the RDF documents in a request to /store, and the RDF documents in its answer
commits       headers that say what a commit did; If-Match
live          /what-if, /explain, /rules and others: questions that need the engine
validation/   /shapes, /validate: the shapes graph, and the validation report
triples       /triples: asserted and inferred triples told apart
history       /commits, /revert: says what a commit changed; takes a commit back
status        /status, /slow-queries
recent        how long the last commits took, and the slowest queries, for /status and /slow-queries
description   the description of the service
"""
