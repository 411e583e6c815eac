PREFIX : <http://example.org/>

DELETE DATA {
    :mainz :upstreamOf :koeln .
}
