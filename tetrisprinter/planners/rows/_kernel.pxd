# What the search for passes works on, in C.

cdef class PassStack:
    cdef readonly object row_kinds
    cdef readonly object pieces
    cdef readonly long long rows
    cdef readonly long long lines
    cdef long long bits
    cdef readonly long long[::1] begin
    cdef readonly long long[:, ::1] fields
    cdef readonly long long[:, ::1] masks
    cdef long long at_next
    cdef long long at_level
    cdef long long at_done
    cdef long long at_filled
    cdef long long at_last
    cdef long long at_need
    cdef long long column
    cdef long long level


cdef class PassSquares:
    cdef readonly long long[::1] before
    cdef readonly long long[::1] must
    cdef readonly long long[::1] wanted
    cdef readonly long long[:, ::1] allowed
    cdef readonly long long[::1] ground


cdef class PassGraph:
    cdef readonly PassStack stack
    cdef readonly long long[::1] starts
    cdef readonly long long[::1] ends
    cdef readonly int[::1] source
    cdef readonly int[::1] target
    cdef readonly short[::1] step
    cdef readonly long long goal
    cdef readonly bint is_complete
    cdef readonly long long[::1] must
    cdef readonly long long[::1] lowest
    cdef readonly double[::1] weights
    cdef long long rows
    cdef bint carries


cdef class PassSearch:
    cdef long long beam
    cdef long long wide_beam
    cdef long long spread
    cdef bint exact
    cdef long long[::1] free
    cdef long long most_steps
    cdef readonly long long[::1] counts
    cdef readonly long long[::1] ends
    cdef int[::1] source
    cdef int[::1] target
    cdef short[::1] step
    cdef object failure
    cdef long long[:, :, ::1] states
    cdef int[:, ::1] left_out
    cdef unsigned long long[::1] codes
    cdef unsigned long long[::1] scratch
    cdef long long[::1] slots
    cdef long long stamp
    cdef int[::1] new_numbers
    cdef long long[:, :, ::1] saved
    cdef long long[::1] saved_counts
    cdef long long[:, ::1] successors
    cdef long long[::1] piece_ends
    cdef long long[::1] cells
    cdef long long[::1] group_end
    cdef long long[::1] free1
    cdef long long[::1] sets1
    cdef long long[::1] free2
    cdef long long[::1] sets2
    cdef long long[::1] needed_bits
    cdef long long[::1] level
    cdef long long[::1] level_rule
    cdef long long[::1] piece_step
    cdef long long x
    cdef long long v
    cdef long long now
    cdef long long state_count
    cdef long long new_count
    cdef long long steps
    cdef readonly long long tried_steps
    cdef readonly bint is_lost
    cdef bint needed
    cdef bint is_wanted
    cdef bint was_filled
    cdef long long filled_bit
    cdef long long recorded_rows
