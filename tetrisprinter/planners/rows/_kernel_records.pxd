# What the search for passes works on, in C.

ctypedef long long Int


cdef class Shape:
    cdef Int rows
    cdef Int bits
    cdef Int lines
    cdef long long[::1] begin
    cdef long long[:, ::1] fields
    cdef long long[:, ::1] masks
    cdef Int at_next
    cdef Int at_level
    cdef Int at_done
    cdef Int at_filled
    cdef Int at_last
    cdef Int at_need
    cdef Int column
    cdef Int level


cdef class PassQuery:
    cdef long long[::1] before
    cdef long long[::1] must
    cdef long long[::1] wanted
    cdef long long[:, ::1] allowed
    cdef long long[::1] ground
    cdef long long[::1] free
    cdef Int beam
    cdef Int wide_beam
    cdef Int spread
    cdef bint exact


cdef class StepGraph:
    cdef long long[::1] counts
    cdef long long[::1] ends
    cdef int[::1] source
    cdef int[::1] target
    cdef short[::1] step
    cdef Int most_steps
    cdef object failure


cdef class PassMemory:
    cdef long long[:, :, ::1] states
    cdef int[:, ::1] left_out
    cdef unsigned long long[:, ::1] codes
    cdef long long[::1] slots
    cdef Int stamp
    cdef long long[::1] histogram
    cdef int[::1] new_numbers
    cdef long long[:, :, ::1] saved
    cdef long long[::1] saved_counts
    cdef long long[:, ::1] successors


cdef class ColumnFits:
    cdef long long[::1] ends
    cdef long long[::1] cells
    cdef long long[::1] group_end
    cdef long long[::1] free1
    cdef long long[::1] sets1
    cdef long long[::1] free2
    cdef long long[::1] sets2
    cdef long long[::1] needed_bits
    cdef long long[::1] level
    cdef long long[::1] level_rule
    cdef long long[::1] step


cdef class SearchCursor:
    cdef Int x
    cdef Int v
    cdef Int now
    cdef Int state_count
    cdef Int new_count
    cdef Int steps
    cdef Int tried_steps
    cdef bint is_lost
    cdef bint needed
    cdef bint wanted
    cdef bint was_filled
    cdef Int filled_bit
    cdef Int recorded_rows
