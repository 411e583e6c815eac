PREFIX : <http://example.org/>

DELETE DATA {
    :ju52 a :Aircraft .
}
