"""A fuzzer of the command line: odd input, made from a seed, and what must hold all the same.

``scripts/fuzz commands`` runs thousands of cases, the suite a hundred.
"""
