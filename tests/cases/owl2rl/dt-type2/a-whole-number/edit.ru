PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

DELETE DATA {
    :census :result "7"^^xsd:decimal .
}
