"""Random steps of the vector engine: their commands, and what memory holds after them."""

from collections import Counter

from arithmetic import signed, to_bf16
from driver import COMMANDS, VECTOR, command
from programs import packed
from vector_unit import (CONSTANTS, EXCHANGES, FIELDS, INFINITY, MODES, NAMES, REGISTERS, SIGN,
                         SLOTS, SOURCES, STREAM, USES, Unit, encode, instruction, takes_word)

PLACES = 1 << next(f["bits"] for f in COMMANDS["vector_program"]["fields"] if f["name"] == "place")
BYTES = {"int8": 1, "bf16": 2, "word": 4, "half": 2}
SPECIAL = [0, SIGN, 1, SIGN | 1, 0x7FFFFF, 0x800000, 0x80800000, 0x3F800000, 0xBF800000, INFINITY,
           SIGN | INFINITY, 0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0x7F7FFFFF, 0x4EFFFFFF, 0x4F000000,
           0xCF000000, 0xCF000001, 0x3EFFFFFF, 0x3F000000, 0x3FC00000, 0x40200000, 31, 32, 33]


def pattern(draw):
    """32 bits: special numbers, small integers, floats of ordinary size, anything."""
    kind = draw.randrange(4)
    if kind == 0:
        return draw.choice(SPECIAL)
    if kind == 1:
        return draw.randint(-40, 40) & 0xFFFFFFFF
    if kind == 2:
        return draw.randrange(2) << 31 | draw.randint(118, 160) << 23 | draw.randrange(1 << 23)
    return draw.getrandbits(32)


def random_instruction(draw, n):
    name = draw.choice(NAMES + ["fma"] * 5)

    def source():
        return draw.choice([draw.randrange(REGISTERS), draw.randrange(REGISTERS),
                            SOURCES["constants"] + draw.randrange(CONSTANTS),
                            draw.randrange(STREAM, SOURCES["element"] + 1), STREAM])
    code = instruction(name, draw.randrange(max(1, len(MODES[name]))), a=source(), b=source(),
                       c=source(), target=draw.randrange(REGISTERS), writes=draw.random() < 0.9,
                       out=draw.choice([0, 0, draw.randint(0, 4)]), negate_product=draw.randrange(2),
                       negate_addend=draw.randrange(2), **{"in": draw.randrange(4)})
    kind = draw.random()
    if kind < 0.15:
        code["exchange"] = EXCHANGES["lane"] + draw.randrange(n.bit_length() - 1)
    elif kind < 0.3:
        for one in "abc":
            while code[one] == STREAM:
                code[one] = source()
        if code["b"] == code["target"]:
            code["writes"] = False
        code["exchange"], code["out"] = EXCHANGES["slot"] + draw.randrange(3), 0
    return code


def with_tokens(word, wait=0, signal=0):
    """A command that also waits and signals so."""
    return (int.from_bytes(word, "little") | int.from_bytes(command("fence", wait, signal), "little")
            & ~0xFF).to_bytes(len(word), "little")


class Tensor:
    """Rows of elements in memory as the words of a stream."""

    def __init__(self, n, number, writes, words, draw):
        """Of so many words; in one row or several, ragged, of any format."""
        self.n, self.number, self.writes = n, number, writes
        self.rows = draw.choice([r for r in range(1, words + 1) if words % r == 0])
        self.cols = words // self.rows * n - draw.choice([0, 0, draw.randrange(n)])
        self.format = draw.choice(["int8", "bf16", "word"] + ["half"] * writes)
        self.broadcasts = not writes and draw.random() < 0.15
        self.length = (1 if self.broadcasts else self.cols) * BYTES[self.format]
        self.stride = draw.choice([self.length, self.length + draw.randrange(40)])
        if not writes and draw.random() < 0.2:
            self.stride = draw.randrange(self.length + 1)  # rows overlap; 0: one row
        self.words, self.extent = words, (self.rows - 1) * self.stride + self.length
        self.at = None

    @property
    def port(self):
        return self.number, self.writes

    def become(self, other):
        """The same place and shape as another's."""
        for name in ("rows", "cols", "format", "length", "stride", "words", "extent", "at"):
            setattr(self, name, getattr(other, name))

    def command(self, signal=0):
        return command("vector_stream", 0, signal, address=self.at, row_stride=self.stride,
                       rows=self.rows, cols=self.cols, number=self.number, writes=self.writes,
                       format=self.format, broadcasts=self.broadcasts)

    def read(self, memory):
        size = BYTES[self.format]
        words = []
        for row in range(self.rows):
            at = self.at + row * self.stride
            found = [int.from_bytes(memory[at + i:at + i + size], "little")
                     for i in range(0, self.length, size)]
            lanes = [{1: v - (v >> 7 << 8) & 0xFFFFFFFF, 2: v << 16, 4: v}[size] for v in found]
            count = -(-self.cols // self.n) * self.n
            lanes = lanes * count if self.broadcasts else lanes + [0] * (count - len(lanes))
            words += [lanes[i:i + self.n] for i in range(0, count, self.n)]
        return words

    def write(self, memory, words):
        lanes_a_row = -(-self.cols // self.n) * self.n
        lanes = [lane for word in words for lane in word]
        convert = {"int8": lambda v: max(-128, min(127, signed(v))), "bf16": to_bf16,
                   "word": lambda v: v, "half": lambda v: v}[self.format]
        for row in range(self.rows):
            first, at = row * lanes_a_row, self.at + row * self.stride
            memory[at:at + self.length] = packed(map(convert, lanes[first:first + self.cols]),
                                                 BYTES[self.format])


class Steps:
    """Builds steps one after another. `expected` is all of memory after those built so far."""

    def __init__(self, draw, device, unit, inputs, outputs):
        """`inputs`, `outputs`: areas that hand out memory, read only and writable."""
        self.draw, self.n, self.unit = draw, device.n, unit
        self.memory, self.inputs, self.outputs = device.memory, inputs, outputs
        self.end = inputs.end
        self.expected = bytearray(device.memory)
        self.words, self.written = [], []
        self.counts = Counter()

    def put(self, data):
        at = self.inputs.take(len(data))
        self.memory[at:at + len(data)] = data
        self.expected[at:at + len(data)] = data
        return at

    def bring(self, program, place):
        """Commands for instructions, in one piece or two."""
        cut = self.draw.choice([0, self.draw.randrange(len(program))])
        for first, part in [(0, program[:cut]), (cut, program[cut:])]:
            if part:
                at = self.put(packed(map(encode, part), 8))
                self.words.append(command("vector_program", address=at, place=place + first,
                                          count=len(part)))

    def set_constants(self, first, values):
        at = self.put(packed(values, 4))
        self.words.append(command("vector_program", address=at, constants=1, place=first,
                                  count=len(values)))
        self.unit.constants[first:first + len(values)] = values

    def set_registers(self):
        """After power-on, and after a run that was cut short, they hold anything."""
        program = [instruction("xor", a=SOURCES["element"], b=SOURCES["constants"] + i, writes=1,
                               target=i) for i in range(REGISTERS)]
        self.set_constants(0, [pattern(self.draw) for _ in range(CONSTANTS)])
        self.bring(program, 0)
        self.words.append(command("vector_run", last=len(program) - 1, words=SLOTS))
        self.unit.run(program, SLOTS, [[], [], [], []])

    def tensors(self, times, number, writes):
        """The words of a port, taken or sent at these times, as tensors and the time of each."""
        draw, found = self.draw, []
        while times:
            count = draw.choice([len(times), draw.randint(1, len(times))])
            found.append((times[0], Tensor(self.n, number, writes, count, draw)))
            times = times[count:]
        return found

    def place(self, tensor):
        """Memory for a tensor, filled for an input; whether an earlier step wrote it."""
        draw = self.draw
        if tensor.writes:
            tensor.at = self.outputs.take(tensor.extent)
            return False
        if self.written and draw.random() < 0.3:
            base, extent = draw.choice(self.written)
            if extent >= tensor.extent:
                tensor.at = base + draw.randrange(extent - tensor.extent + 1)
                return True
        size = BYTES[tensor.format]
        shift = {"bf16": 16}.get(tensor.format, 0)
        patterns = [pattern(draw) >> shift for _ in range(-(-tensor.extent // size))]
        tensor.at = self.put(packed(patterns, size)[:tensor.extent])
        return False

    def overwrite(self, program, output, streams):
        """Puts the only tensor of an output where the only one of an input lies, if that may be.

        A word must be read before it is written, and no other stream may touch the place.
        """
        sends = [i for i, code in enumerate(program) if code["out"] == output.number + 1]
        alone = lambda tensor: sum(tensor.port == other.port for _, other in streams) == 1
        for _, other in streams:
            takes = [i for i, code in enumerate(program)
                     if takes_word(code) and code["in"] == other.number]
            if (not other.writes and alone(other) and alone(output) and other.at < self.end
                    and len(sends) == len(takes) == 1 and takes[0] <= sends[0]
                    and not other.broadcasts and other.stride >= other.length):
                data = self.expected[other.at:other.at + other.extent]
                other.at = self.outputs.take(other.extent)
                self.memory[other.at:other.at + other.extent] = data
                self.expected[other.at:other.at + other.extent] = data
                output.become(other)
                self.counts["vector_in_place"] += 1
                return True
        return False

    def add(self, wait=0, signal=0):
        """A random step; its first command waits, its last output signals.

        Streams of one port follow each other. A later one starts when the run has taken or sent
        what the one before holds, so these come after the run, in the order in which it needs them.
        """
        draw, n = self.draw, self.n
        program = [random_instruction(draw, n) for _ in range(draw.randint(1, 10))]
        # An output that ends the program: when it is written, all inputs have been read.
        program.append(instruction("or", a=draw.randrange(REGISTERS), out=draw.randint(1, 4)))
        place, count = draw.randint(0, PLACES - len(program)), draw.randint(1, 20)
        takes, sends = [[] for _ in range(4)], [[] for _ in range(4)]
        for first in range(0, count, SLOTS):
            for i, code in enumerate(program):
                for slot in range(min(SLOTS, count - first)):
                    time = first * len(program) + i * SLOTS + slot
                    if takes_word(code):
                        takes[code["in"]].append(time)
                    if code["out"]:
                        sends[code["out"] - 1].append(time)
        streams = sorted([one for number in range(4)
                          for times, writes in [(takes, False), (sends, True)]
                          for one in self.tensors(times[number], number, writes)],
                         key=lambda one: one[0])
        reads = [tensor for _, tensor in streams if not tensor.writes]
        if any([self.place(tensor) for tensor in reads]):
            wait |= VECTOR
        for output in [tensor for _, tensor in streams if tensor.writes]:
            if draw.random() < 0.5 or not self.overwrite(program, output, streams):
                self.place(output)
        begin = len(self.words)
        if draw.random() < 0.3:
            first = draw.randrange(CONSTANTS)
            self.set_constants(first, [pattern(draw) for _ in
                                       range(draw.randint(1, CONSTANTS - first))])
        self.bring(program, place)
        run = dict(first_word=draw.choice([0, draw.getrandbits(32)]),
                   words_a_row=draw.choice([draw.randint(1, 9), draw.randint(1, (1 << 32) - 1)]))
        ports, early, late = set(), [], []
        for _, tensor in streams:
            (late if tensor.port in ports else early).append(tensor)
            ports.add(tensor.port)
        draw.shuffle(early)
        last = [tensor for tensor in early + late if tensor.writes][-1]
        command_of = lambda tensor: tensor.command(signal if tensor is last else 0)
        self.words += [*map(command_of, early),
                       command("vector_run", first=place, last=place + len(program) - 1,
                               words=count, **run), *map(command_of, late)]
        self.words[begin] = with_tokens(self.words[begin], wait)
        self.compute(program, count, early + late, run)

    def compute(self, program, count, tensors, run):
        words = [[], [], [], []]
        for tensor in tensors:
            if not tensor.writes:
                words[tensor.number] += tensor.read(self.expected)
        out = self.unit.run(program, count, words, **run)
        assert not any(words), "the step's tensors have more words than its run takes"
        for tensor in tensors:
            if tensor.writes:
                mine = out[tensor.number][:tensor.words]
                del out[tensor.number][:tensor.words]
                tensor.write(self.expected, mine)
                self.written.append((tensor.at, tensor.extent))
                self.counts["vector_words"] += tensor.words
        self.counts["vector_steps"] += 1
        self.counts["vector_instructions"] += len(program)
