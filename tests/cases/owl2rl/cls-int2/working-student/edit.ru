PREFIX : <http://example.org/>

DELETE DATA {
    :mia a :WorkingStudent .
}
