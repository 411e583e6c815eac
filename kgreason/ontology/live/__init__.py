"""The translation of a schema that is edited: what came and went in, rules that came and went out.

axioms      LiveReadings: schema triples -> axioms
statements  LiveStatements: rules -> one for each statement
reduction   LiveReduction: rules -> rules without shortcuts
live        LiveTranslation: all passes
"""
