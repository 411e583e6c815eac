PREFIX : <http://example.org/>

DELETE DATA {
    :march20 a :Winter .
}
