PREFIX : <http://example.org/>

DELETE DATA {
    :x :y :z .
}
