# The costs of the states of the beam search over dealt pieces, for the other kernels.

from tetrisprinter.planners.dealt._kernel_states cimport PictureTables


cdef class StateCosts:
    cdef PictureTables board
    cdef int[::1] weights
    cdef int[::1] missing
    cdef int[::1] unvisited
    cdef int[::1] group
    cdef int[::1] lost


cdef int compute_cost(StateCosts costs, int[::1] state) noexcept nogil
