PREFIX : <http://example.org/>

DELETE DATA {
    :zola a :Parisian .
}
