PREFIX : <http://example.org/>

DELETE DATA {
    :cat a :Alive .
}
