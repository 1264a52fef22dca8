# The table of state codes, which _kernel.py shares with _kernel_graphs.py.

ctypedef long long Int


cdef class CodeTable:
    cdef long long[::1] codes
    cdef int[::1] slots
    cdef Int count


cdef Int get_or_add_index(CodeTable table, Int code) except -1 nogil
