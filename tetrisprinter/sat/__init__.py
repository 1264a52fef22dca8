"""Propositional formulas: the solvers that decide them, proofs, and checkers of proofs.

Words: docs/glossary.md
"""
