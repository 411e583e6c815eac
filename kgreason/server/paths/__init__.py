"""What each path of the server does.

served        the parts of the server that a path uses; parameters of a request
query         /query: SPARQL queries
update        /update: SPARQL updates
store         /store: the Graph Store Protocol
documents     the RDF documents that a request to /store brings, and those that it gets
commits       headers that tell of a commit; If-Match
live          /what-if, /explain, /rules and others: what only a live reasoner can say
triples       /triples: asserted and inferred triples told apart
history       /commits, /revert: what a commit changed; takes a commit back
status        /status, /slow-queries; recent: what they tell
description   the description of the service
"""
