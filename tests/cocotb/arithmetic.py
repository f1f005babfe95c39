"""docs/numerics.md in Python: exact rationals, rounded once. Sums are 32-bit patterns."""

import math
import struct
from fractions import Fraction

NAN = 0x7FC00000
LEAST = Fraction(1, 1 << 126)  # the least normal number


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def value_of(bits):
    """An fp32's value as a float; subnormals are zeros of their sign."""
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return math.copysign(0.0, value) if 0 < abs(value) < LEAST else value


def rounded(exact):
    """A rational other than zero, to nearest even with 24 bits; flushed after rounding."""
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** (exponent - 23)
    size = round(size / unit) * unit
    sign = 0x80000000 if exact < 0 else 0
    if size < LEAST:
        return sign
    return sign | (0x7F800000 if size >= 1 << 128 else bits_of(float(size)))


def add_values(x, y):
    """fp32 bits of x + y, where x and y are floats that hold their exact values."""
    if not (math.isfinite(x) and math.isfinite(y)):
        total = x + y
        return NAN if math.isnan(total) else bits_of(total)
    exact = Fraction(x) + Fraction(y)
    return rounded(exact) if exact else bits_of(x + y)


def mac(activation, weight, total):
    """fp32 bits of total + activation x weight, both bf16 patterns."""
    product = value_of(activation << 16) * value_of(weight << 16)  # 16 bits: exact in a float
    return add_values(product, value_of(total))


def product_fp32(a, b, n, sums=None):
    """C = A B of bf16 patterns on an n x n array; with sums, added to them."""
    depth = len(b)
    result = [[None if sums is None else v for v in row]
              for row in (sums or [[None] * len(b[0])] * len(a))]
    for row, line in zip(a, result):
        for column in range(len(b[0])):
            for first in range(0, depth, n):
                tile = 0
                for k in range(first, first + n):
                    tile = mac(row[k], b[k][column], tile) if k < depth else mac(0, 0, tile)
                line[column] = (tile if line[column] is None
                                else add_values(value_of(line[column]), value_of(tile)))
    return result


def product_int32(a, b, sums=None):
    """C = A B of int8 values, modulo 2^32, as patterns."""
    return [[(sum(x * row[j] for x, row in zip(line, b)) + (sums[i][j] if sums else 0))
             & 0xFFFFFFFF for j in range(len(b[0]))] for i, line in enumerate(a)]


def signed(bits):
    return bits - (1 << 32) if bits >> 31 else bits


def clamped(value):
    """A rational to the nearest int8 pattern, halves upward."""
    return max(-128, min(127, math.floor(value + Fraction(1, 2)))) & 0xFF


def to_bf16(bits, draw=None):
    """bf16 pattern, to nearest even, or by a random number of 16 bits."""
    value = value_of(bits)
    if math.isnan(value):
        return 0x7FC0
    bits = bits_of(value)
    if math.isinf(value):
        return bits >> 16
    up = draw if draw is not None else 0x7FFF + (bits >> 16 & 1)
    return (bits + up) >> 16


def quantize(bits, scale):
    """int8 pattern of an fp32 times a bf16 scale."""
    product = value_of(bits), value_of(scale << 16)
    if any(math.isnan(v) for v in product) or math.isnan(product[0] * product[1]):
        return 0
    if not all(math.isfinite(v) for v in product):
        return 127 if product[0] * product[1] > 0 else 0x80
    return clamped(Fraction(product[0]) * Fraction(product[1]))


def requantize(bits, scale, shift):
    return clamped(Fraction(signed(bits) * scale, 1 << shift))


def int32_to_fp32(bits):
    return rounded(Fraction(signed(bits))) if bits else 0


class Random:
    """A lane's random numbers, from the seed of store_scale."""

    def __init__(self, seed, lane):
        self.state = (seed ^ lane * 0x9E3779B9 & 0xFFFFFFFF) or 1

    def step(self):
        for _ in range(16):
            fed = self.state >> 31 ^ self.state >> 30 ^ self.state >> 29 ^ self.state >> 9
            self.state = (self.state << 1 | fed & 1) & 0xFFFFFFFF
        return self.state & 0xFFFF
