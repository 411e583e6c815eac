PREFIX : <http://example.org/>

DELETE DATA {
    :eve :parentOf :eve .
}
