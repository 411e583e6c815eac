PREFIX : <http://example.org/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>

DELETE DATA {
    :role1 rdf:rest :role2 .
} ;
INSERT DATA {
    :role1 rdf:rest :role3 .
}
