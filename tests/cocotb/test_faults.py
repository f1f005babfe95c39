"""Every fault of docs/device.md, with its command and its address, and how a reset leads on."""

import os
import random

import cocotb
from cocotb.triggers import ClockCycles

from bench import Bench
from driver import (BITS, COMMAND_BYTES, COMMANDS, COMPUTE, FAULTS, HEADER, LOAD, MAP, STORE,
                    command)
from programs import INPUTS, OUTPUTS, random_cases

SEED = int(os.environ.get("SEED", "1"))
MANY = "PROGRAMS" in os.environ  # a campaign tries every stray bit, a test some
RING, WINDOWS = 0x1000, [(*INPUTS, True, False), (*OUTPUTS, False, True)]
A = INPUTS[0]
FENCE = command("fence")


async def ready(dut, seed=None):
    device = Bench(dut)
    device.pause(seed)
    await device.power_on()
    await device.prepare(WINDOWS, RING)
    return device


async def still_works(device):
    """A random program after a reset, from registers to the last byte."""
    device.model.bad = set()
    await device.prepare(WINDOWS, RING)
    cases = random_cases(random.Random(SEED), device, 2)
    await device.run(sum((case.words for case in cases), []))
    for case in cases:
        case.check()


@cocotb.test()
async def an_error_on_any_beat_of_a_command_is_a_fault(dut):
    device = await ready(dut)
    for byte in range(0, COMMAND_BYTES, min(device.n, COMMAND_BYTES)):
        await device.prepare(WINDOWS, RING)
        device.model.bad = {RING + COMMAND_BYTES + byte}
        # Where a beat is longer than a command, it brings the one before as well.
        first = 0 if device.n > COMMAND_BYTES else 1
        await device.expect_fault([FENCE] * 3, "read_error", first, RING + first * COMMAND_BYTES)
    await still_works(device)


@cocotb.test()
async def an_error_on_any_beat_of_a_block_is_a_fault(dut):
    device = await ready(dut, SEED)
    rows, cols, at = 3, 4 * device.n + 1, A + 3
    block = [command("load_shape", rows=rows, cols=cols, tile_stride=rows, row_stride=cols),
             command("load", address=at, buffer="rows", type="int8")]
    for row in range(rows):
        for byte in {*range(0, cols, device.n), cols - 1}:
            await device.prepare(WINDOWS, RING)
            device.model.bad = {at + row * cols + byte}
            # A beat at a row's end brings bytes of the next row, whose error it then has.
            first = (at + row * cols + byte) // device.n * device.n
            row_met = (max(first, at) - at) // cols
            await device.expect_fault(block, "read_error", 1, at + row_met * cols)
    await still_works(device)


@cocotb.test()
async def an_error_to_any_write_is_a_fault(dut):
    device = await ready(dut, SEED + 1)
    n, at, stride = device.n, OUTPUTS[0] + 4, 256
    store = [command("load_shape", rows=3, cols=n, tile_stride=3, row_stride=4 * n),
             command("load", 0, STORE, address=A, buffer="accumulators", type="word32"),
             command("store_shape", rows=3, cols=n, row_stride=stride),
             command("store", LOAD, address=at, format="word32")]
    for row in range(3):
        for byte in (0, 4 * n - 1):
            await device.prepare(WINDOWS, RING)
            device.model.bad = {at + row * stride + byte}
            await device.expect_fault(store, "write_error", 3, at + row * stride)
    await still_works(device)


@cocotb.test()
async def nothing_outside_the_windows_is_touched(dut):
    """The monitor raises what leaves them."""
    device = await ready(dut, SEED + 2)
    n, at, out = device.n, A + 64, OUTPUTS[0] + 64
    words = [command("load_shape", rows=2, cols=n, tile_stride=2, row_stride=4 * n),
             command("load", 0, STORE, address=at, buffer="accumulators", type="word32"),
             command("store_shape", rows=2, cols=n, row_stride=4 * n),
             command("store", LOAD, address=out, format="word32")]
    device.memory[at:at + 8 * n] = random.Random(SEED).randbytes(8 * n)
    block = at, at + 8 * n, True, False
    written = out, out + 8 * n, False, True
    await device.prepare([block, written], RING)
    await device.run(words)  # windows that just fit
    assert device.memory[out:out + 8 * n] == device.memory[at:at + 8 * n]
    for windows, fault, index, address in [
            ([(at + 1, *block[1:]), written], "read_window", 1, at),
            ([(at, at + 8 * n - 1, True, False), written], "read_window", 1, at + 4 * n),
            ([(*block[:2], False, True), written], "read_window", 1, at),
            ([(at, at + 2, True, False), (at + 2, at + 8 * n, True, False), written],
             "read_window", 1, at),
            ([block, (out + 1, *written[1:])], "write_window", 3, out),
            ([block, (out, out + 8 * n - 1, False, True)], "write_window", 3, out + 4 * n),
            ([block, (*written[:2], True, False)], "write_window", 3, out)]:
        device.memory[out:out + 8 * n] = bytes(8 * n)
        await device.prepare(windows, RING)
        await device.expect_fault(words, fault, index, address)
    # A row that crosses 4 KiB is two bursts: here one in the window and one that is not.
    border = OUTPUTS[0] + 4096
    words[-1] = command("store", LOAD, address=border - 2 * n, format="word32")
    await device.prepare([block, (out, border, False, True)], RING)
    await device.expect_fault(words, "write_window", 3, border)
    assert device.memory[border - 2 * n:border] == device.memory[at:at + 2 * n]
    await device.prepare([], RING)
    await device.open_windows([(RING + 16, RING + 64, True, False)])
    await device.expect_fault([FENCE] * 2, "read_window", 0, RING)
    await still_works(device)


ENGINES = ["load", "compute", "store", "vector"]


def token_bit(half, engine):
    header = HEADER[half]
    return header["vector"] if engine == "vector" else header["low"] + ENGINES.index(engine)


def may_name(name, half, engine):
    """Whether a command may have the token of an engine; for vector_stream, one that writes."""
    own = COMMANDS[name]["engine"]
    if own == "vector":
        return half == "wait" or (name == "vector_stream" and engine != own)
    return name in ("load", "matmul", "store") and engine != own


@cocotb.test()
async def illegal_commands_are_refused(dut):
    device = await ready(dut)
    words = [bytes(16), *(bytes([opcode]) + bytes(15) for opcode in range(2, 256)
                          if opcode not in {c["opcode"] for c in COMMANDS.values()})]
    for name, about in COMMANDS.items():
        plain = int.from_bytes(command(name), "little")
        taken = (1 << HEADER["opcode"]["bits"]) - 1
        for half in ("wait", "signal"):
            for engine in ENGINES:
                bit = token_bit(half, engine)
                if not may_name(name, half, engine):
                    words.append((plain | 1 << bit).to_bytes(16, "little"))
                taken |= 1 << bit
        for field in about["fields"]:
            taken |= (1 << field["bits"]) - 1 << field["low"]
            clear = plain & ~((1 << field["bits"]) - 1 << field["low"])
            if "min" in field:
                words.append(clear.to_bytes(16, "little"))
            most = {"N": device.n}.get(field.get("max"), field.get("max"))
            if most is not None:
                words += [(clear | v << field["low"]).to_bytes(16, "little")
                          for v in {most + 1, (1 << field["bits"]) - 1}]
        words += [(plain | 1 << bit).to_bytes(16, "little")
                  for bit in range(128) if not taken >> bit & 1]
    words += [command("load", buffer="accumulators", type="int8"),
              command("load", buffer="rows", type="word32"),
              command("vector_stream", signal=LOAD), command("vector_stream", format="half"),
              command("vector_stream", writes=1, broadcasts=1),
              command("vector_program", place=63, count=2),
              command("vector_program", constants=1, place=31, count=2),
              command("vector_run", first=1), command("vector_run")]  # nothing was brought
    link = dict(number=3, format="word", end="up")
    words += [command("vector_stream", **{**link, **wrong})
              for wrong in (dict(number=2), dict(format="bf16"), dict(address=1), dict(row_stride=1),
                            dict(broadcasts=1), dict(writes=1, signal=LOAD))]
    draw = random.Random(SEED)
    for word in words if MANY else draw.sample(words, 60):
        await device.reset()  # keeps windows and ring
        await device.expect_fault([FENCE, word], "illegal_command", 1)
    await still_works(device)


@cocotb.test()
async def a_stream_of_a_neighbour_that_is_not_there_is_a_fault(dut):
    device = await ready(dut)
    for end in ("up", "down"):
        for patience in (0, 2000):
            await device.reset()
            await device.write("link_patience", patience)
            stream = command("vector_stream", rows=2, cols=device.n, number=3, format="word", end=end)
            await device.expect_fault([FENCE, stream], "link_stall", 1)
            assert await device.read("links") == 0
    await still_works(device)


@cocotb.test()
async def a_command_needs_its_shapes_and_a_reset_takes_them(dut):
    device = await ready(dut)
    shapes = {s["name"]: command(s["command"], **({s["field"]: 1} if "field" in s else {}))
              for s in MAP["commands"]["shapes"]}
    for name, about in COMMANDS.items():
        for need in about.get("needs", []):
            word = command(name, **({need["field"]: need["values"][0]} if "field" in need else {}))
            others = [shape for other, shape in shapes.items() if other != need["shape"]]
            if need["shape"] == "store_scale":
                others.remove(shapes["seed"])
            for given in ([], others):
                # All shapes are set; the reset before the command takes them.
                await device.reset()
                await device.run(list(shapes.values()))
                await device.reset()
                needs = about["needs"][:about["needs"].index(need)]
                if given or not needs:
                    await device.expect_fault([*given, word], "missing_shape", len(given))
    await device.reset()
    await device.run([shapes["load_shape"]])
    device.dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, 3)
    device.dut.rst_ni.value = 1
    await device.prepare(WINDOWS, RING)
    await device.expect_fault([command("load", address=A)], "missing_shape", 0)
    await still_works(device)


@cocotb.test()
async def tokens_and_doorbells_that_cannot_be_are_faults(dut):
    device = await ready(dut)
    shape = command("load_shape", rows=1, cols=1)
    give, take = command("load", 0, COMPUTE, address=A), command("load", COMPUTE, address=A)
    await device.expect_fault([shape, take, FENCE], "token_underflow", 1)
    await device.prepare(WINDOWS, RING, 9)
    # A fault that is no command's own names the head at that time.
    await device.expect_fault([shape, *[give] * 256], "token_overflow", 257)
    await device.prepare(WINDOWS, RING, 3)
    for tail in (5 + 8 + 1, 4):
        await device.prepare(WINDOWS, RING, 3)
        await device.run([FENCE] * 5)
        await device.write("ring_tail", tail)
        while not await device.read("status") & BITS["faulted"]:
            pass
        assert FAULTS[await device.read("fault_code")] == "ring_overrun"
        assert await device.read("fault_command") == await device.read("ring_head")
    await still_works(device)
    await device.prepare(WINDOWS, RING, 3)
    for _ in range(8):  # the ring goes round, and may be full
        await device.run([FENCE] * 8)
    assert await device.read("ring_head") == 64
