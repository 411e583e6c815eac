PREFIX : <http://example.org/>

DELETE DATA {
    :euglena a :Animal .
}
