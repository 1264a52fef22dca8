# Where steered pieces come to rest, for the search over dealt pieces.

from tetrisprinter.planners.dealt._kernel_states cimport PictureTables


cdef class Steering:
    cdef PictureTables board
    cdef int[:, ::1] spins
    cdef int[:, ::1] free
    cdef int[:, ::1] reached
    cdef int[:, ::1] rest


cdef int steer(Steering steering, int[::1] s, int piece) noexcept nogil
