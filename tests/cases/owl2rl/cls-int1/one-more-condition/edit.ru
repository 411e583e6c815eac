PREFIX : <http://example.org/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>

DELETE DATA {
    :c2 rdf:rest rdf:nil .
} ;
INSERT DATA {
    :c2 rdf:rest :c3 .
}
