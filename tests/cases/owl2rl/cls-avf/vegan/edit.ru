PREFIX : <http://example.org/>

DELETE DATA {
    :ivy a :Vegan .
}
