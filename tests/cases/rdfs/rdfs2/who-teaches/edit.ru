PREFIX : <http://example.org/>

DELETE DATA {
    :ada :teaches :logic .
}
