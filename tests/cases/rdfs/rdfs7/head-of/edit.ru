PREFIX : <http://example.org/>

DELETE DATA {
    :ida :heads :lab .
}
