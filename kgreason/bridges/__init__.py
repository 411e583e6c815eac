"""Bridges to other libraries: rdflib, pySHACL, owlready2, and assistants (MCP). Each bridge is an optional extra."""
