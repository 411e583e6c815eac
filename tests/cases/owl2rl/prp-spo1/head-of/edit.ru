PREFIX : <http://example.org/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>

DELETE DATA {
    :heads rdfs:subPropertyOf :belongsTo .
}
