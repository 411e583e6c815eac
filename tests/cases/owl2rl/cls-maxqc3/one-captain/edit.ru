PREFIX : <http://example.org/>

DELETE DATA {
    :robert a :Captain .
}
