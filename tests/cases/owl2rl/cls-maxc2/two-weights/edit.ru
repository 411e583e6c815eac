PREFIX : <http://example.org/>

DELETE DATA {
    :rex a :Weighed .
}
