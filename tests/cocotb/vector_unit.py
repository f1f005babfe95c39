"""The vector unit in Python, from docs/vector.md, docs/numerics.md and device.json alone.

Instructions as 64 bits, what each does to a lane's three patterns of 32 bits, and runs over words.
"""

import math
from fractions import Fraction

from arithmetic import NAN, bits_of, int32_to_fp32, rounded, signed, to_bf16, value_of
from driver import MAP

ISA = MAP["vector"]
FIELDS = {f["name"]: f for f in ISA["fields"]}
OPERATIONS = {o["name"]: i for i, o in enumerate(ISA["operations"])}
NAMES = [o["name"] for o in ISA["operations"]]
USES = {o["name"]: set(o["uses"]) for o in ISA["operations"]}
MODES = {o["name"]: [m["name"] for m in o.get("modes", [])] for o in ISA["operations"]}
SOURCES = {s["name"]: s["first"] for s in ISA["sources"]}
REGISTERS, CONSTANTS = (next(s["count"] for s in ISA["sources"] if s["name"] == name)
                        for name in ("registers", "constants"))
EXCHANGES = {e["name"]: e["first"] for e in ISA["exchanges"]}
STREAM = SOURCES["stream"]
SLOTS, MASK, SIGN, INFINITY = 8, 0xFFFFFFFF, 0x80000000, 0x7F800000


def instruction(operation, mode=0, **fields):
    """An instruction's fields by name; sources that are not given are zero's."""
    code = {name: 0 for name in FIELDS} | {one: SOURCES["zero"] for one in "abc"}
    code |= {"operation": OPERATIONS[operation], "mode": mode} | fields
    if len(code) != len(FIELDS):
        raise TypeError(f"an instruction has no field {', '.join(fields.keys() - FIELDS.keys())}")
    return code


def encode(code):
    return sum(value << FIELDS[name]["low"] for name, value in code.items())


def takes_word(code):
    return STREAM in (code["a"], code["b"], code["c"])


def is_zero(x):
    return x & INFINITY == 0


def is_nan(x):
    return x & ~SIGN > INFINITY


def flushed(x):
    return x & SIGN if is_zero(x) else x


def number(x):
    """An fp32 that is no NaN and no infinity, exactly."""
    return Fraction(value_of(x))


def fma(a, b, c, negate_product, negate_addend):
    a, c = a ^ negate_product * SIGN, c ^ negate_addend * SIGN
    x, y, z = value_of(a), value_of(b), value_of(c)
    if not all(map(math.isfinite, (x, y, z))):
        if any(map(math.isnan, (x, y, z))) or (x == 0 or y == 0) and math.inf in (abs(x), abs(y)):
            return NAN
        sign = math.copysign(1, x) * math.copysign(1, y)
        if math.inf not in (abs(x), abs(y)):
            return c
        if math.isinf(z) and z * sign < 0:
            return NAN
        return bits_of(sign * math.inf)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact:
        return rounded(exact)
    return SIGN if (a ^ b) & c & SIGN and z == 0 else 0  # z = 0: the product is 0, too


def extreme(a, b, is_minimum):
    if is_nan(a) or is_nan(b):
        return NAN
    order = lambda x: (value_of(x), not x & SIGN)
    return flushed((min if is_minimum else max)(a, b, key=order))


def compare(mode, a, b):
    holds = {"integer_equal": a == b, "integer_less": signed(a) < signed(b),
             "unsigned_less": a < b}.get(mode)
    if holds is None:
        x, y = value_of(a), value_of(b)  # Python's NaN compares false, its zeros equal
        holds = {"equal": x == y, "less": x < y, "less_equal": x <= y}[mode]
    return MASK if holds else 0


def to_integer(a, mode):
    value = value_of(a)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        value = math.copysign(2.0**40, value)
    whole = math.floor(value) if mode == "floor" else round(Fraction(value))
    return max(-1 << 31, min((1 << 31) - 1, whole)) & MASK


def exponent(a):
    if is_zero(a):
        return -512 & MASK
    return 512 if a & INFINITY == INFINITY else (a >> 23 & 255) - 127 & MASK


def significand(a):
    if is_nan(a):
        return NAN
    is_plain = not is_zero(a) and a & INFINITY != INFINITY
    return a & SIGN | 0x3F800000 | (a & 0x7FFFFF if is_plain else 0)


def scale(a, b):
    if is_nan(a):
        return NAN
    if is_zero(a) or a & INFINITY == INFINITY:
        return flushed(a)
    place = (a >> 23 & 255) + signed(b)
    if place < 1:
        return a & SIGN
    return a & SIGN | (INFINITY if place > 254 else place << 23 | a & 0x7FFFFF)


def seed(a, table):
    """The eight bits below the leading one, for the middle of an interval: docs/vector.md."""
    high = a >> 23 & 255
    if table == "reciprocal":
        i = a >> 17 & 63
        guess, place = Fraction(512) / (1 + Fraction(2 * i + 1, 128)), 253 - high
        if high > 252:
            return a & SIGN
        fraction = round(guess) - 256
    else:
        i = a >> 18 & 63
        middle = 2 + Fraction(2 * i + 1, 32) if i < 32 else 1 + Fraction(2 * (i - 32) + 1, 64)
        fraction, place = round(512 / math.sqrt(middle)) - 256, 190 - (high + 1) // 2
    return a & SIGN | place << 23 | fraction << 15


def execute(code, a, b, c):
    """A lane's result."""
    name = NAMES[code["operation"]]
    product, addend = code["negate_product"], code["negate_addend"]
    mode = MODES[name][code["mode"]] if MODES[name] else None
    match name:
        case "fma":
            return fma(a, b, c, product, addend)
        case "maximum" | "minimum":
            return extreme(a, b, name == "minimum")
        case "compare":
            return compare(mode, a, b)
        case "select":
            return a if c else b
        case "and":
            return a & (b ^ MASK * product)
        case "or":
            return a | b | c
        case "xor":
            return a ^ b ^ c
        case "shift_left":
            return a << b & MASK if b < 32 else 0
        case "shift_right":
            return a >> b if b < 32 else 0
        case "shift_right_signed":
            return signed(a) >> min(b, 31) & MASK
        case "multiply_add":
            return (-1) ** product * a * b + (-1) ** addend * c & MASK
        case "multiply_high":
            return a * b >> 32 ^ c
        case "to_integer":
            return to_integer(a, mode)
        case "to_float":
            return int32_to_fp32(a)
        case "to_bf16":
            return to_bf16(a)
        case "to_bf16_stochastic":
            return to_bf16(a, b & 0xFFFF)
        case "exponent":
            return exponent(a)
        case "significand":
            return significand(a)
        case "scale":
            return scale(a, b)
        case "seed":
            return seed(a, mode)


class Unit:
    """Registers and constants, and runs on words: lists of n patterns."""

    def __init__(self, n):
        self.n = n
        self.registers = [[[0] * n for _ in range(SLOTS)] for _ in range(REGISTERS)]
        self.constants = [0] * CONSTANTS

    def operand(self, source, slot, word, place):
        """`place` is the run's (column, row, element) of the word's first lane."""
        n = self.n
        if source < REGISTERS:
            return self.registers[source][slot]
        if source >= SOURCES["constants"]:
            return [self.constants[source - SOURCES["constants"]]] * n
        if source == STREAM:
            return word
        fixed = {SOURCES["one"]: 0x3F800000, SOURCES["minus_zero"]: SIGN, SOURCES["zero"]: 0,
                 SOURCES["unit"]: 1, SOURCES["row"]: place[1]}
        if source in fixed:
            return [fixed[source]] * n
        first = {SOURCES["column"]: place[0], SOURCES["element"]: place[2]}[source]
        return [first + lane & MASK for lane in range(n)]

    def result(self, code, slot, words, place):
        word = words[code["in"]].pop(0) if takes_word(code) else None
        a, b, c = (self.operand(code[one], slot, word, place) for one in "abc")
        way = code["exchange"]
        if way >= EXCHANGES["slot"]:
            if code["b"] < REGISTERS:
                b = self.registers[code["b"]][slot ^ 1 << way - EXCHANGES["slot"]]
        elif way:
            b = [b[lane ^ 1 << way - EXCHANGES["lane"]] for lane in range(self.n)]
        return [execute(code, *lane) for lane in zip(a, b, c)]

    def run(self, program, count, words, first_word=0, words_a_row=1):
        """Takes from the four lists of words; returns the four of the outputs.

        An instruction goes through all slots before the next one; a slot that is read by an
        exchange has the value from before.
        """
        out = [[], [], [], []]
        for first in range(0, count, SLOTS):
            slots = range(min(SLOTS, count - first))
            for code in program:
                for slot in slots:
                    at = first + slot
                    place = (at % words_a_row * self.n, at // words_a_row,
                             (first_word + at) * self.n)
                    result = self.result(code, slot, words, place)
                    if code["writes"]:
                        self.registers[code["target"]][slot] = result
                    if code["out"]:
                        out[code["out"] - 1].append(result)
        return out
