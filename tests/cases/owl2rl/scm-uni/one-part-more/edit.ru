PREFIX : <http://example.org/>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE DATA {
    :Vehicle owl:unionOf :v1 .
} ;
INSERT DATA {
    :Vehicle owl:unionOf :v0 .
}
