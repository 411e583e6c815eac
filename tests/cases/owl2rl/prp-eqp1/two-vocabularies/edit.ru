PREFIX : <http://example.org/>

DELETE DATA {
    :woolf :wrote :orlando .
}
