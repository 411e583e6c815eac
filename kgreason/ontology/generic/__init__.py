"""The generic rules of a rule set: the rules as the specifications write them, with variables for schema terms.

generic   divide the rules into three parts: closing, rows, free
needed    find the generic rules that the data needs beside the translated rules, and the reason for each
"""
