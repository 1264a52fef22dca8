"""What any program needs and nothing about Tetris: files, executors, words.

Words: docs/glossary.md
"""
