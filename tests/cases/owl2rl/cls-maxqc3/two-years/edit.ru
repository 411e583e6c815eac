PREFIX : <http://example.org/>

DELETE DATA {
    :book :date 1999 .
}
