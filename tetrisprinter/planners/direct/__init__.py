"""The real-time planner for any board, any picture and up to seven colours."""
