"""Bridges to other libraries: rdflib, owlready2, and assistants (MCP). Each bridge is an optional extra."""
