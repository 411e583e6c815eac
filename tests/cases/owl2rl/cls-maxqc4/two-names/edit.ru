PREFIX : <http://example.org/>

DELETE DATA {
    :ship :name "Argus" .
}
