# The resting places of steered pieces, for the other kernels.

from tetrisprinter.planners.dealt._kernel_states cimport PictureTables


cdef class Steering:
    cdef PictureTables board
    cdef int[:, ::1] spins
    cdef int[:, ::1] free
    cdef int[:, ::1] reached
    cdef int[:, ::1] rest


cdef int steer(Steering steering, int[::1] state, int piece) noexcept nogil
