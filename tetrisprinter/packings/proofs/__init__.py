"""What is impossible, with certificates that somebody else's program checks."""
