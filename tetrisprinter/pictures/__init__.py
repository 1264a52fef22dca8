"""Pictures and their sources: images, texts, glyphs.

Words: docs/glossary.md
"""
