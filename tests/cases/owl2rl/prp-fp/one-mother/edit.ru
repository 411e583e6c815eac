PREFIX : <http://example.org/>

DELETE DATA {
    :tom :mother :jenny .
}
