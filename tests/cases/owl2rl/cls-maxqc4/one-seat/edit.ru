PREFIX : <http://example.org/>

DELETE DATA {
    :plane :carries :earhart .
}
