PREFIX : <http://example.org/>

DELETE DATA {
    :sue :brother :max .
}
