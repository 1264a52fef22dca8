# The functions of word_ops.py in C, for the compiled loops that cimport them.

ctypedef unsigned long long Word

ctypedef fused Number:
    int
    long long
    unsigned long long
    double


cdef inline Word hash_next(Word code, Word word) noexcept nogil:
    code = (code ^ word) * <Word>0x9E3779B97F4A7C15ULL
    return code ^ (code >> 29)


cdef inline Word hash_first(Word word) noexcept nogil:
    return hash_next(<Word>0x2545F4914F6CDD1DULL, word)


cdef inline Word finish_hash(Word code) noexcept nogil:
    code *= <Word>0x94D049BB133111EBULL
    return code ^ (code >> 32)


cdef inline Number select_rank(
    Number[::1] values, Py_ssize_t count, Py_ssize_t rank, Number[::1] room
) noexcept nogil:
    # Hoare's selection (1961); many equal values do not slow it down.
    cdef Py_ssize_t begin = 0, end = count - 1, low, high
    cdef Number pivot, value
    for low in range(count):
        room[low] = values[low]
    while begin < end:
        pivot = room[begin + (end - begin) // 2]
        low, high = begin, end
        while low <= high:
            while room[low] < pivot:
                low += 1
            while room[high] > pivot:
                high -= 1
            if low <= high:
                value = room[low]
                room[low] = room[high]
                room[high] = value
                low += 1
                high -= 1
        if rank <= high:
            end = high
        elif rank >= low:
            begin = low
        else:
            break
    return room[rank]


cdef inline Py_ssize_t sort_distinct(Number[::1] values, Py_ssize_t count) noexcept nogil:
    # Heapsort (Williams 1964), or insertion sort for few values; then repeats are removed.
    cdef Py_ssize_t i, at, below, left
    cdef Number value
    if count <= 16:
        for i in range(1, count):
            value = values[i]
            at = i
            while at > 0 and values[at - 1] > value:
                values[at] = values[at - 1]
                at -= 1
            values[at] = value
    else:
        i = count // 2
        left = count
        while True:
            if i > 0:
                i -= 1
                value = values[i]
            else:
                left -= 1
                if left == 0:
                    break
                value = values[left]
                values[left] = values[0]
            at = i
            below = 2 * i + 1
            while below < left:
                if below + 1 < left and values[below + 1] > values[below]:
                    below += 1
                if values[below] <= value:
                    break
                values[at] = values[below]
                at = below
                below = 2 * at + 1
            values[at] = value
    at = 0
    for i in range(count):
        if i == 0 or values[i] != values[at - 1]:
            values[at] = values[i]
            at += 1
    return at
