"""The game itself: pieces, the field, plans of drops and how they are played and steered."""
