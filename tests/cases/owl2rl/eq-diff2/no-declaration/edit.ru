PREFIX : <http://example.org/>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

DELETE DATA {
    :planets a owl:AllDifferent .
}
