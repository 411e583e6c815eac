"""Read RDF files of every format as batches of id columns.

formats                 the formats, and how to find the format of a file
declared                the IRIs by which a document can be imported
catalogue, xml_catalog  find the files of documents that owl:imports names
xml                     prepares RDF/XML and OWL/XML for their parsers
owl                     translates OWL/XML, OWL functional syntax and OBO (obo/) to RDF/XML
reader                  read: reads a file
json_ld                 prepares JSON-LD: its contexts, its type maps
lines                   part of the reader: N-Triples and N-Quads in blocks, with few calls of a parser
counted                 part of the reader: error messages for very long tokens
document_prefixes       part of the reader: the prefixes that documents declare
labels                  part of the reader: stable names for blank nodes
tokens                  part of the reader: turns text into id columns
writing                 write: writes quads so that others can read them, or not at all
problem                 says in plain words what is wrong in a text
"""
