PREFIX : <http://example.org/>

DELETE DATA {
    :cellar :above :attic .
}
