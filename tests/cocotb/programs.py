"""Random products and convolutions, their commands, and what memory must hold after them."""

from arithmetic import (Random, int32_to_fp32, product_fp32, product_int32, quantize, requantize,
                        to_bf16)
from driver import COMPUTE, LOAD, STORE, command

INPUTS, OUTPUTS = (0x4000, 0x20000), (0x20000, 0x40000)
FORMATS = {"word32": 4, "bf16": 2, "bf16_stochastic": 2, "int8_from_fp32": 1,
           "int8_from_int32": 1, "fp32_from_int32": 4}


def packed(patterns, size):
    return b"".join((v & (1 << 8 * size) - 1).to_bytes(size, "little") for v in patterns)


class Area:
    """Hands out memory of [base, end) at any alignment."""

    def __init__(self, memory, base, end, draw):
        self.memory, self.at, self.end, self.draw = memory, base, end, draw

    def take(self, size):
        at = self.at + self.draw.choice([0, 0, self.draw.randrange(64), self.draw.randrange(300)])
        self.at = at + size
        assert self.at <= self.end, "the programs of a seed are too large for the bench's memory"
        return at

    def put(self, rows, size):
        """Rows of patterns; their address and stride."""
        length = len(rows[0]) * size
        stride = length + self.draw.choice([0, 0, self.draw.randrange(50)])
        at = self.take(stride * len(rows))
        for i, row in enumerate(rows):
            self.memory[at + i * stride:at + i * stride + length] = packed(row, size)
        return at, stride


class Case:
    """C = A B of random shape and type, stored in a random format; commands and expected bytes.

    Buffers and the accumulator bank are given, so that cases overlap in the device.
    """

    def __init__(self, draw, n, inputs, outputs, at, bank_rows, bank):
        self.draw, self.n, self.inputs, self.outputs = draw, n, inputs, outputs
        self.rows_at, self.weights_at, self.masks_at = at
        self.bank_rows, self.bank = bank_rows, bank
        self.is_int8 = draw.random() < 0.5
        self.size = 1 if self.is_int8 else 2
        self.rows = draw.choice([1, n - 1, n, n + 1, draw.randint(1, 2 * n + 2)])
        self.depth = draw.choice([1, n, n + 1, draw.randint(1, 3 * n)])
        self.cols = draw.choice([1, n, draw.randint(1, n)])
        self.turn_a, self.turn_b = draw.random() < 0.4, draw.random() < 0.4
        self.ones, self.adds = draw.random() < 0.3, draw.random() < 0.4
        self.wild = not self.is_int8 and draw.random() < 0.3  # any pattern: NaN, infinities, tiny
        self.sum_row = bank * bank_rows + draw.choice([0, draw.randrange(bank_rows - 2 * n - 4)])
        self.words = []

    def element(self):
        draw = self.draw
        if self.is_int8:
            return draw.randint(-128, 127)
        if self.wild and draw.random() < 0.2:
            return draw.choice([0x0000, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0x0001, 0x8080,
                                draw.randrange(1 << 16)])
        return draw.randrange(2) << 15 | draw.randint(122, 132) << 7 | draw.randrange(128)

    def matrix(self, rows, cols):
        return [[self.element() for _ in range(cols)] for _ in range(rows)]

    def load(self, rows, buffer, row, wait=0, signal=0, size=None, name=None):
        """Rows of patterns to a buffer; rows of the buffer from one word to the next."""
        size = size or self.size
        address, stride = self.inputs.put(rows, size)
        apart = len(rows) + self.draw.choice([0, 0, self.draw.randrange(5)])
        self.words += [
            command("load_shape", rows=len(rows), cols=len(rows[0]), tile_stride=apart,
                    row_stride=stride),
            command("load", wait, signal, address=address, buffer=buffer, row=row,
                    type=name or ("int8" if size == 1 else "bf16"))]
        return apart

    def build(self, after, leads):
        """after: an earlier case of this bank's accumulators stores; leads: a later one will."""
        draw, n = self.draw, self.n
        a, b = self.operands()
        turned = lambda matrix: [list(line) for line in zip(*matrix)]
        sums = None
        lines = self.rows + self.ones
        if self.adds:
            sums = [[draw.randrange(1 << 32) if self.is_int8 or self.wild
                     else draw.randrange(2) << 31 | draw.randint(120, 134) << 23
                     | draw.randrange(1 << 23) for _ in range(self.cols)] for _ in range(lines)]
            self.load(sums, "accumulators", self.sum_row, STORE if after else 0, 0, 4, "word32")
        elif after:
            # Nothing is loaded into the bank, but store's token to load is there: a load takes it.
            self.load([[0]], "rows", self.rows_at, STORE)
        b_apart = self.load(turned(b) if self.turn_b else b, "weights", self.weights_at)
        masked = draw.random() < 0.4
        mask_row = self.masks_at
        mask = [[self.element() for _ in range(self.cols)] for _ in range(lines)]
        if masked:
            self.load(mask, "masks", mask_row)
        a_apart = self.load_a(a, COMPUTE)
        tiles = -(-self.depth // n)
        self.words += [
            command("matmul_shape", rows=self.rows, a_tile_stride=a_apart, b_tile_stride=b_apart,
                    tiles=tiles, last_depth=self.depth - (tiles - 1) * n),
            command("matmul", LOAD | (STORE if after else 0), STORE, a_row=self.rows_at,
                    b_row=self.weights_at, sum_row=self.sum_row, is_int8=self.is_int8,
                    transpose_a=self.turn_a, transpose_b=self.turn_b, accumulate=self.adds,
                    ones_row=self.ones)]
        if self.ones:
            a = a + [[1 if self.is_int8 else 0x3F80] * self.depth]
        product = product_int32 if self.is_int8 else lambda a, b, s: product_fp32(a, b, n, s)
        self.store(product(a, b, sums), mask if masked else None, mask_row, leads)

    def operands(self):
        return self.matrix(self.rows, self.depth), self.matrix(self.depth, self.cols)

    def load_a(self, a, signal):
        return self.load([list(line) for line in zip(*a)] if self.turn_a else a, "rows",
                         self.rows_at, 0, signal)

    def store(self, sums, mask, mask_row, leads):
        draw = self.draw
        relu = draw.random() < 0.4
        form = draw.choice(["word32", "fp32_from_int32", "int8_from_int32"] if self.is_int8
                           else ["word32", "bf16", "bf16_stochastic", "int8_from_fp32"])
        scale = draw.randrange(1 << 16) if self.is_int8 else draw.randint(110, 134) << 7
        shift, seed = draw.randrange(32), draw.randint(1, (1 << 32) - 1)
        lanes = [Random(seed, lane) for lane in range(self.n)]
        convert = {"word32": lambda v, r: v, "bf16": lambda v, r: to_bf16(v),
                   "bf16_stochastic": to_bf16, "fp32_from_int32": lambda v, r: int32_to_fp32(v),
                   "int8_from_fp32": lambda v, r: quantize(v, scale),
                   "int8_from_int32": lambda v, r: requantize(v, scale, shift)}[form]
        size = FORMATS[form]
        stride = self.cols * size + draw.choice([0, 0, draw.randrange(30)])
        self.at = self.outputs.take(stride * len(sums))
        self.expected = bytearray(self.outputs.memory[self.at:self.at + stride * len(sums)])
        for m, row in enumerate(sums):
            draws = [lane.step() for lane in lanes]
            out = [convert(0 if relu and v >> 31 or mask is not None and not self.above(mask[m][j])
                           else v, draws[j]) for j, v in enumerate(row)]
            self.expected[m * stride:m * stride + self.cols * size] = packed(out, size)
        self.words += [
            command("store_scale", scale=scale, shift=shift, seed=seed),
            command("store_shape", rows=len(sums), cols=self.cols, row_stride=stride),
            command("store", COMPUTE, (LOAD | COMPUTE) if leads else 0, address=self.at,
                    sum_row=self.sum_row, mask_row=mask_row, format=form, relu=relu,
                    masked=mask is not None)]

    def above(self, element):
        """Whether a mask's element is greater than zero; a subnormal may be, NaN is not."""
        return element > 0 if self.is_int8 else 0 < element <= 0x7F80

    def check(self):
        found = self.outputs.memory[self.at:self.at + len(self.expected)]
        assert found == self.expected, (
            f"{self.rows} x {self.depth} x {self.cols} {'int8' if self.is_int8 else 'bf16'} at "
            f"{self.at:#x}: {found.hex()}, expected {self.expected.hex()}")


class Convolution(Case):
    """The same with A read as patches of random images."""

    def operands(self):
        draw = self.draw
        self.turn_a = False
        height, width, channels = draw.randint(1, 6), draw.randint(1, 6), draw.randint(1, 3)
        kernel_h, kernel_w = draw.randint(1, 3), draw.randint(1, 3)
        stride, top, left = draw.randint(1, 3), draw.randint(0, 2), draw.randint(0, 2)
        out_h, out_w, images = draw.randint(1, 4), draw.randint(1, 4), draw.randint(1, 2)
        dense = [self.matrix(height * width, channels) for _ in range(images)]
        address, apart = self.inputs.put([[v for pixel in one for v in pixel] for one in dense],
                                         self.size)
        zeros = [0] * channels

        def patch(one, y, x):
            inside = lambda i, j: 0 <= i < height and 0 <= j < width
            return [v for i in range(y * stride - top, y * stride - top + kernel_h)
                    for j in range(x * stride - left, x * stride - left + kernel_w)
                    for v in (one[i * width + j] if inside(i, j) else zeros)]
        patches = [patch(one, y, x) for one in dense for y in range(out_h) for x in range(out_w)]
        first = draw.randrange(out_h * out_w)
        self.rows = draw.randint(1, min(len(patches) - first, 3 * self.n))
        self.depth = kernel_h * kernel_w * channels
        self.commands = [
            command("load_patches", height=height, width=width, pixel_bytes=channels * self.size,
                    out_height=out_h, out_width=out_w, kernel_height=kernel_h,
                    kernel_width=kernel_w, stride=stride, pad_top=top, pad_left=left),
            command("load_shape", rows=self.rows, cols=self.depth, tile_stride=self.rows,
                    row_stride=apart)]
        self.where = dict(address=address, patches=1, out_y=first // out_w, out_x=first % out_w)
        return patches[first:first + self.rows], self.matrix(self.depth, self.cols)

    def load_a(self, a, signal):
        self.words += [*self.commands,
                       command("load", 0, signal, buffer="rows", row=self.rows_at,
                               type="int8" if self.is_int8 else "bf16", **self.where)]
        return self.rows


def random_cases(draw, device, count):
    """Cases of one program, in the two accumulator banks by turns; each has its part of buffers."""
    inputs = Area(device.memory, *INPUTS, draw)
    outputs = Area(device.memory, *OUTPUTS, draw)
    base, end = OUTPUTS
    device.memory[base:end] = draw.randbytes(end - base)
    buffers = device.row_buffer_rows, device.weight_buffer_rows, device.mask_rows
    cases = []
    for i in range(count):
        kind = Convolution if draw.random() < 0.3 else Case
        cases.append(kind(draw, device.n, inputs, outputs,
                          [i * words // count + draw.randrange(50) for words in buffers],
                          device.bank_rows, i % 2))
        cases[-1].build(i >= 2, i + 2 < count)
    return cases
