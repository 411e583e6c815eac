PREFIX : <http://example.org/>

DELETE DATA {
    :bach :met :haendel .
}
