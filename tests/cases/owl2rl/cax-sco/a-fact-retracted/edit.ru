PREFIX : <http://example.org/>

DELETE DATA {
    :tom a :Mammal .
    :kit a :Cat .
}
