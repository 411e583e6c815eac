PREFIX : <http://example.org/>

DELETE DATA {
    :cup :rightOf :spoon .
}
