"""The planners of the article: packings from the tables, or found while printing."""
