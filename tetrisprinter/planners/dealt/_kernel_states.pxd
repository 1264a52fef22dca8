# The states of the beam search over dealt pieces, for the other kernels.

ctypedef unsigned long long Word


cdef class PictureTables:
    cdef int width
    cdef int full
    cdef int limit
    cdef int height
    cdef bint steered
    cdef int[:, ::1] wants
    cdef int[:, ::1] forms
    cdef int[::1] first
    cdef int[::1] weights
    cdef int[::1] missing
    cdef int[::1] unvisited
    cdef int[::1] group
    cdef int[::1] lost


cdef int count_bits(int columns) noexcept nogil
cdef int get_wanted(PictureTables board, int row) noexcept nogil
cdef bint lay_piece(
    PictureTables board, int[::1] state, int[::1] out, int form, int x, int y, int clear_bits, int piece
) noexcept nogil
cdef Word hash_state(int[::1] state) noexcept nogil


cdef int compute_cost(PictureTables board, int[::1] state) noexcept nogil


cdef class Steering:
    cdef PictureTables board
    cdef int[:, ::1] spins
    cdef int[:, ::1] free
    cdef int[:, ::1] reached
    cdef int[:, ::1] rest


cdef int steer(Steering steering, int[::1] state, int piece) noexcept nogil
