"""A row at a time on any board, at once, by the method of the article."""
