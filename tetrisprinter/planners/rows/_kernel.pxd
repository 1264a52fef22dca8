# What the search for passes works on, in C.

cdef class Shape:
    cdef long long rows
    cdef long long bits
    cdef long long lines
    cdef long long[::1] begin
    cdef long long[:, ::1] fields
    cdef long long[:, ::1] masks
    cdef long long at_next
    cdef long long at_level
    cdef long long at_done
    cdef long long at_filled
    cdef long long at_last
    cdef long long at_need
    cdef long long column
    cdef long long level


cdef class PassQuery:
    cdef long long[::1] before
    cdef long long[::1] must
    cdef long long[::1] wanted
    cdef long long[:, ::1] allowed
    cdef long long[::1] ground
    cdef long long[::1] free
    cdef long long beam
    cdef long long wide_beam
    cdef long long spread
    cdef bint exact


cdef class StepGraph:
    cdef long long[::1] counts
    cdef long long[::1] ends
    cdef int[::1] source
    cdef int[::1] target
    cdef short[::1] step
    cdef long long most_steps
    cdef object failure


cdef class PassMemory:
    cdef long long[:, :, ::1] states
    cdef int[:, ::1] left_out
    cdef unsigned long long[:, ::1] codes
    cdef long long[::1] slots
    cdef long long stamp
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
