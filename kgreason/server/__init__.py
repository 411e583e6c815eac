"""`kgreason serve`: a graph over HTTP, for many users at once.

    serve        opens the store, the workers and the socket; closes them
    settings     what the options of the command say
    application  the paths, and the guard that every request passes first
    connection   drops clients that are too slow
    guard        who may ask: Host, Origin, tokens and roles
    session      browsers that have signed in with a token
    problems     errors as RFC 9457 documents
    body         bodies of requests: their size, their compression
    formats      media types and content negotiation
    writer       the one thread that uses the engine, and its two queues
    metrics      figures for Prometheus
    openapi      the description of all paths
    request/     the id of a request, refused logins, and what a proxy says
    operation/   the access log, tokens, tickets, figures and backups
    streams/     the past commits and the new ones, for /changes
    queries/     SPARQL queries in processes of their own
    paths/       one module for each group of paths
    console/     pages in the browser that ask the paths

    query ---> queries.pool ---> a process that reads the store ---> rows
    edit  ---> writer ---------> the graph ------------------------> delta

Laws: a query never waits for a commit. A query that begins after an edit was answered sees this edit. The event loop
never waits for the engine or for Oxigraph.
"""
