# What the search over dealt pieces asks of the cost of its states.

from tetrisprinter.planners.dealt._kernel_states cimport PictureTables


cdef class StateCosts:
    cdef PictureTables board
    cdef int[::1] weights
    cdef int[::1] missing
    cdef int[::1] left
    cdef int[::1] seen
    cdef int[::1] lost


cdef int compute_cost(StateCosts costs, int[::1] s) noexcept nogil
