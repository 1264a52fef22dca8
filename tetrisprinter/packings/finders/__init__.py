"""One question, several ways to answer it.

Every finder takes a :class:`~tetrisprinter.packings.problem.PackingProblem` and answers with a
:class:`~tetrisprinter.packings.problem.Packing`, with
:class:`~tetrisprinter.packings.problem.Infeasible`, or with
:class:`~tetrisprinter.packings.problem.Unknown`. Every packing has been replayed before it is
handed out.
"""
