"""Read XML with Expat, and write what Expat finds as plain XML for the parsers behind it.

text      bytes in any encoding -> text
document  text -> elements and texts, with namespaces and entities resolved; each error has a line
rdf_xml   RDF/XML -> RDF/XML without anything that Oxigraph's parser does not know
literal   the content of rdf:parseType="Literal" -> canonical XML
owl_xml   OWL/XML -> OWL/XML without anything that horned-owl does not know
parts     part of owl_xml: which elements an element of OWL/XML must contain
"""
