# What the search up the rows shares with the listing of what fits where.


cdef class Uses:
    cdef long long[::1] orientation
    cdef long long[::1] piece
    cdef unsigned char[::1] timed
    cdef long long[::1] late
    cdef long long[::1] completes
    cdef long long[::1] height
    cdef long long[:, ::1] columns
    cdef long long[:, ::1] rows
    cdef long long[::1] feet
    cdef long long[:, ::1] foot_columns
    cdef long long[:, ::1] foot_rows
    cdef long long[::1] ends
    cdef long long[:, ::1] ranks


cdef class Lists:
    cdef long long[::1] ends
    cdef long long[::1] uses
    cdef unsigned long long[:, ::1] masks
