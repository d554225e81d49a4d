"""The checksum of a manifest: XXH3 of 64 bits without a seed, by its specification (xxHash, doc/
xxhash_spec.md), for arrays of whole 4-byte words. NumPy does what blocks of 1 KiB have in common."""

import numpy

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
PRIMES_32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
PRIMES_64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
             0x27D4EB2F165667C5)
STRIPE, BLOCK = 64, 1024
BLOCKS_AT_A_TIME = 4096
MASK = 2**64 - 1
NEIGHBOURS = [1, 0, 3, 2, 5, 4, 7, 6]  # the lane that takes another lane's word


def checksum(array: numpy.ndarray) -> int:
    """Of the elements of a contiguous array, which may be a mapped file."""
    data = array.reshape(-1).view(numpy.uint8)
    if len(data) > 240:
        return _long(data)
    return _short(data.tobytes())


def _word(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at:at + size], "little")


def _folded(a: int, b: int) -> int:
    product = a * b
    return (product & MASK) ^ (product >> 64)


def _avalanche(value: int) -> int:
    value ^= value >> 37
    value = value * 0x165667919E3779F9 & MASK
    return value ^ value >> 32


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & MASK


def _mixed(data: bytes, at: int, secret: int) -> int:
    return _folded(_word(data, at) ^ _word(SECRET, secret),
                   _word(data, at + 8) ^ _word(SECRET, secret + 8))


def _short(data: bytes) -> int:
    length = len(data)
    if length > 16:
        return _avalanche(_sum_of_mixed(data) & MASK)
    if length > 8:
        low = _word(data, 0) ^ _word(SECRET, 24) ^ _word(SECRET, 32)
        high = _word(data, length - 8) ^ _word(SECRET, 40) ^ _word(SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche((length + swapped + high + _folded(low, high)) & MASK)
    if length >= 4:
        value = _word(data, length - 4, 4) + (_word(data, 0, 4) << 32)
        value ^= _word(SECRET, 8) ^ _word(SECRET, 16)
        value ^= _rotated(value, 49) ^ _rotated(value, 24)
        value = value * 0x9FB21C651E98DF25 & MASK
        value ^= (value >> 35) + length
        value = value * 0x9FB21C651E98DF25 & MASK
        return value ^ value >> 28
    value = _word(SECRET, 56) ^ _word(SECRET, 64)  # of no data
    for shift, prime in ((33, PRIMES_64[1]), (29, PRIMES_64[2]), (32, 1)):
        value = (value ^ value >> shift) * prime & MASK
    return value


def _sum_of_mixed(data: bytes) -> int:
    length = len(data)
    total = length * PRIMES_64[0]
    if length <= 128:
        for pair in range((length - 1) // 32 + 1):  # from both ends inwards
            total += _mixed(data, 16 * pair, 32 * pair)
            total += _mixed(data, length - 16 * (pair + 1), 32 * pair + 16)
        return total
    for part in range(8):
        total += _mixed(data, 16 * part, 16 * part)
    total = _avalanche(total & MASK)
    for part in range(8, length // 16):
        total += _mixed(data, 16 * part, 16 * (part - 8) + 3)
    return total + _mixed(data, length - 16, 136 - 17)


def _secret_words(begin: int, count: int = 8) -> numpy.ndarray:
    return numpy.frombuffer(SECRET, "<u8", count, begin)


def _contributions(stripes: numpy.ndarray) -> numpy.ndarray:
    """What stripes of 8 words, [block][stripe][word], add to the lanes."""
    keys = numpy.stack([_secret_words(8 * stripe) for stripe in range(stripes.shape[1])])
    keyed = stripes ^ keys
    products = (keyed & numpy.uint64(0xFFFFFFFF)) * (keyed >> numpy.uint64(32))
    return products.sum(axis=1) + stripes.sum(axis=1)[:, NEIGHBOURS]


def _long(data: numpy.ndarray) -> int:
    lanes = numpy.array([PRIMES_32[2], *PRIMES_64[:4], PRIMES_32[1], PRIMES_64[4], PRIMES_32[0]],
                        "<u8")
    blocks = (len(data) - 1) // BLOCK
    key = _secret_words(128)
    for begin in range(0, blocks, BLOCKS_AT_A_TIME):
        end = min(begin + BLOCKS_AT_A_TIME, blocks)
        words = numpy.array(data[BLOCK * begin:BLOCK * end]).view("<u8").reshape(end - begin, 16, 8)
        for added in _contributions(words):
            lanes += added
            lanes ^= lanes >> numpy.uint64(47)
            lanes ^= key
            lanes *= numpy.uint64(PRIMES_32[0])
    rest = data[BLOCK * blocks:]
    stripes = (len(rest) - 1) // STRIPE
    if stripes:
        lanes += _contributions(numpy.array(rest[:STRIPE * stripes]).view("<u8")
                                .reshape(1, stripes, 8))[0]
    last = numpy.array(data[-STRIPE:]).view("<u8")
    keyed = last ^ _secret_words(121)
    lanes += (keyed & numpy.uint64(0xFFFFFFFF)) * (keyed >> numpy.uint64(32)) + last[NEIGHBOURS]
    return _merged([int(lane) for lane in lanes], len(data))


def _merged(lanes: list[int], length: int) -> int:
    total = length * PRIMES_64[0]
    for pair in range(4):
        total += _folded(lanes[2 * pair] ^ _word(SECRET, 11 + 16 * pair),
                         lanes[2 * pair + 1] ^ _word(SECRET, 11 + 16 * pair + 8))
    return _avalanche(total & MASK)
