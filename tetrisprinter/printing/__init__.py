"""What is asked for, and what no game can do: boards, targets, obstacles, repair."""
