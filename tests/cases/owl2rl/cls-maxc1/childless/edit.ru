PREFIX : <http://example.org/>

DELETE DATA {
    :ann a :Childless .
}
