"""From rule text to rules; `rules.parser` is the door.

syntax     text -> statements of tokens with their places (grammar.lark)
reader     statements -> a program: prefixes are resolved, every rule is checked
mistakes   what a user may have meant with text that does not parse
"""
