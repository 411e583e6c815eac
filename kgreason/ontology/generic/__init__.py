"""The generic rules of a rule set: the rules as the specifications write them, with variables for schema terms.

generic   divides the rules into three parts with the names closing, rows and free; their instances for a schema
needed    finds the generic rules that must run beside the translated rules, with a reason for each
"""
