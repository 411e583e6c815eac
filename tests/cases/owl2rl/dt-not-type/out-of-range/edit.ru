PREFIX : <http://example.org/>

DELETE DATA {
    :methuselah :age 300 .
}
