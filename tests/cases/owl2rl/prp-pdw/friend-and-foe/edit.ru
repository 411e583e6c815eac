PREFIX : <http://example.org/>

DELETE DATA {
    :pip :foeOf :joe .
}
