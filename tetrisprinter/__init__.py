"""Print pictures by playing Tetris; find and prove the patterns it takes."""

__version__ = "0.1.0"
