PREFIX : <http://example.org/>

DELETE DATA {
    :kim :reviews :hamlet .
}
