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


cdef int count_bits(int columns) noexcept nogil
cdef int get_wanted(PictureTables board, int row) noexcept nogil
cdef bint lay_piece(
    PictureTables board, int[::1] state, int[::1] out, int form, int x, int y, int clear_bits, int piece
) noexcept nogil
cdef Word hash_state(int[::1] state) noexcept nogil
