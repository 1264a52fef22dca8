# What the search up the rows shares with the choice among its states.

from tetrisprinter.planners.games._kernel_uses cimport Lists

ctypedef unsigned long long Word
ctypedef long long Int


cdef class Squares:
    cdef unsigned char[:, ::1] due
    cdef Lists fits
    cdef Lists covers
    cdef long long[::1] y_of
    cdef Word chance
    cdef unsigned long long[:, ::1] forced


cdef Int penalty(
    Squares squares, Word[:, ::1] states, Int base, Int number, Int begin
) noexcept nogil
