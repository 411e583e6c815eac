PREFIX : <http://example.org/>

DELETE DATA {
    :house2 :nextTo :house3 .
}
