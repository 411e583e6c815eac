PREFIX : <http://example.org/>

DELETE DATA {
    :ann :spouse :william .
}
