PREFIX : <http://example.org/>

DELETE DATA {
    :fram a :Ship .
}
