"""What several test modules share; no test module is imported by another."""
