PREFIX : <http://example.org/>

DELETE DATA {
    :bea :age :thirty .
}
