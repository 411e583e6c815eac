PREFIX : <http://example.org/>

DELETE DATA {
    :tom a :Cat .
}
