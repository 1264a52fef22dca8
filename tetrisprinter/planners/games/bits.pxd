# What the module bits says, in C, for the compiled loops that cimport it.

ctypedef unsigned long long Word
ctypedef long long Int


cdef inline Int held(Word word, Int x) noexcept nogil:
    return <Int>(word >> 5 * x) & 31


cdef inline Word cell(Int x, Word code) noexcept nogil:
    return code << 5 * x


cdef inline Word filled(Word word) noexcept nogil:
    # 1 for each cell that is not empty
    word = word | word >> 1 | word >> 2 | word >> 3
    return word & <Word>0x0084210842108421ULL


cdef inline Word scaled(Word code, Word chance) noexcept nogil:
    return code * chance


cdef inline Int latest(Word last, Int x) noexcept nogil:
    return <Int>(last >> 4 * x) & 15


cdef inline Word with_latest(Word last, Int x, Int time) noexcept nogil:
    return last & ~(<Word>15 << 4 * x) | <Word>time << 4 * x


cdef inline bint is_after_clear(Word last) noexcept nogil:
    return <Int>(last >> 48) & 1


cdef inline Int outlook_of(Word last) noexcept nogil:
    return <Int>(last >> 49) & 15


cdef inline bint is_complete(Word last, Int row) noexcept nogil:
    return <Int>(last >> (53 + row)) & 1


cdef inline Word completed(Word last, Int row) noexcept nogil:
    return last | <Word>1 << (53 + row)


cdef inline Word advanced_to(Word last, bint clears) noexcept nogil:
    # the lowest row of the outlook becomes the one below; one comes on top
    cdef Int outlook = outlook_of(last)
    cdef Word after = <Word>(outlook >> 1 | (<Int>clears << 3))
    return (
        last & ((<Word>1 << 48) - 1)
        | <Word>(outlook & 1) << 48
        | after << 49
        | (last >> 54) << 53
    )
