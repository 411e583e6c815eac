PREFIX : <http://example.org/>

DELETE DATA {
    :bea :years :thirty .
}
