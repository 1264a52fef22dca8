"""One question, several ways to answer it.

Every finder takes a :class:`~tetrisprinter.packing.PackingProblem` and answers with a
:class:`~tetrisprinter.packing.Packing`, with
:class:`~tetrisprinter.packing.Infeasible`, or with
:class:`~tetrisprinter.packing.Unknown`. Every packing has been replayed before it is
handed out.
"""
