"""The translation of a schema that is edited: each pass turns the changes of its input into changes of its output.

axioms      LiveReadings: from schema triples to axioms
statements  LiveStatements: from rules to rules without duplicates
reduction   LiveReduction: from rules to rules without shortcuts
live        LiveTranslation: all passes together
"""
