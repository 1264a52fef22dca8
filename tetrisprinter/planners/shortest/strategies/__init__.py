"""What to ask of the pass model, and in which order: from a target to the passes of a game."""
