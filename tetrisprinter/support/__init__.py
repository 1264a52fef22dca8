"""What any program needs and nothing about Tetris: files, executors, compiled loops."""
