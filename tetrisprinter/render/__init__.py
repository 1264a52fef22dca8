"""The event stream of a game, turned into something to look at.

Words: docs/glossary.md
"""
