PREFIX : <http://example.org/>

DELETE DATA {
    :seven a :Clubs .
}
