"""Helpers without any knowledge of Tetris: files, executors, signals, registries.

Words: docs/glossary.md
"""
