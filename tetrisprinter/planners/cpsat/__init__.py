"""A list of passes as one CP-SAT model: the question, the model, the solver, a run of solvers."""
