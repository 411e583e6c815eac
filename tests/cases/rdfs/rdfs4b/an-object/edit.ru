PREFIX : <http://example.org/>

DELETE DATA {
    :cup :leftOf :plate .
}
