"""Tasks and results: boards, types for colours, targets, obstacles, repair.

Words: docs/glossary.md
"""
