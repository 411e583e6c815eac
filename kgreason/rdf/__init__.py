"""RDF files in every format -> batches of id columns.

formats, declared             which format a file has; under which IRIs a document is known
catalogue, xml_catalog        where the documents are that owl:imports names
owl, xml_text                 documents that need a step before the parser
reader                        read: a file -> batches
counted, labels, tokens       parts of the reader: long tokens, blank nodes, text -> id columns
problem                       what is wrong with a text, in words
generalised                   which rows are RDF triples
"""
