PREFIX : <http://example.org/>

DELETE DATA {
    :marianEvans :livedIn :coventry .
}
