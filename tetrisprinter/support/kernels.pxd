# The operations on words of kernels.py in C, for the compiled loops that cimport them.

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
    Number[::1] values, Py_ssize_t count, Py_ssize_t rank, Number[::1] scratch
) noexcept nogil:
    # Hoare's selection (1961); many equal values do not slow it down.
    cdef Py_ssize_t begin = 0, end = count - 1, low, high
    cdef Number pivot, value
    for low in range(count):
        scratch[low] = values[low]
    while begin < end:
        pivot = scratch[begin + (end - begin) // 2]
        low, high = begin, end
        while low <= high:
            while scratch[low] < pivot:
                low += 1
            while scratch[high] > pivot:
                high -= 1
            if low <= high:
                value = scratch[low]
                scratch[low] = scratch[high]
                scratch[high] = value
                low += 1
                high -= 1
        if rank <= high:
            end = high
        elif rank >= low:
            begin = low
        else:
            break
    return scratch[rank]


cdef inline Py_ssize_t sort_distinct(Number[::1] values, Py_ssize_t count) noexcept nogil:
    # Heapsort (Williams 1964), or insertion sort for few values; then repeats are removed.
    cdef Py_ssize_t i, position, child, heap_end
    cdef Number value
    if count <= 16:
        for i in range(1, count):
            value = values[i]
            position = i
            while position > 0 and values[position - 1] > value:
                values[position] = values[position - 1]
                position -= 1
            values[position] = value
    else:
        i = count // 2
        heap_end = count
        while True:
            if i > 0:
                i -= 1
                value = values[i]
            else:
                heap_end -= 1
                if heap_end == 0:
                    break
                value = values[heap_end]
                values[heap_end] = values[0]
            position = i
            child = 2 * i + 1
            while child < heap_end:
                if child + 1 < heap_end and values[child + 1] > values[child]:
                    child += 1
                if values[child] <= value:
                    break
                values[position] = values[child]
                position = child
                child = 2 * position + 1
            values[position] = value
    position = 0
    for i in range(count):
        if i == 0 or values[i] != values[position - 1]:
            values[position] = values[i]
            position += 1
    return position
