PREFIX : <http://example.org/>

DELETE DATA {
    :kim :has :rex .
}
