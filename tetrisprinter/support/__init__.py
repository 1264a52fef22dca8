"""Helpers without any knowledge of Tetris: files, executors, signals, imports on first use.

Words: docs/glossary.md
"""
