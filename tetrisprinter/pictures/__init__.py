"""Pictures and where they come from: images, texts, glyphs.

Words: docs/glossary.md
"""
