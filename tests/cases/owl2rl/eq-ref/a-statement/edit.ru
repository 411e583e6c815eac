PREFIX : <http://example.org/>

DELETE DATA {
    :calder :bornIn :philadelphia .
}
