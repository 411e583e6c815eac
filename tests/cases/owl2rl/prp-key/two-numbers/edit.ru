PREFIX : <http://example.org/>

DELETE DATA {
    :anna :age 31 .
}
