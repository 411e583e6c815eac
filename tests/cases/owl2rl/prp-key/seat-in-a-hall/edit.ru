PREFIX : <http://example.org/>

DELETE DATA {
    :seat2 :number 14 .
}
