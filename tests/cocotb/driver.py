"""A driver of the accelerator, from docs/device.md, docs/accelerator.md and device.json alone.

It shares nothing with host/device. `bus` reads and writes registers: it has async read(offset) and
write(offset, value), which raise SlaveError where the device answers SLVERR, and async
interrupt(clocks), which waits for the interrupt pin. `memory` is a bytearray that the device sees
from address 0 on.
"""

import json
from pathlib import Path

MAP = json.loads((Path(__file__).parents[2] / "hls/device/device.json").read_text())
COMMANDS = {c["name"]: c for c in MAP["commands"]["list"]}
HEADER = {f["name"]: f for f in MAP["commands"]["header"]}
REGISTERS = {r["name"]: r for r in MAP["registers"]}
COUNTERS = {c["name"]: MAP["counters"]["offset"] + 8 * i
            for i, c in enumerate(MAP["counters"]["list"])}
FAULTS = [f["name"] for f in MAP["faults"]]
BITS = {f["name"]: 1 << f["low"] for r in MAP["registers"] for f in r.get("fields", [])}
LOAD, COMPUTE, STORE, VECTOR = 1, 2, 4, 8  # engines, in wait and signal
COMMAND_BYTES = MAP["commands"]["bits"] // 8
INDEX_MASK = (1 << REGISTERS["ring_tail"]["bits"]) - 1


class SlaveError(Exception):
    """A register answered SLVERR."""


class DeviceFault(Exception):
    """The device has stopped: name of the fault, index of the command, address or 0."""

    def __init__(self, name, command, address):
        super().__init__(f"{name} at command {command}, address {address:#x}")
        self.found = name, command, address


def command(name, wait=0, signal=0, **fields):
    """A command's 16 bytes; a field that is not given has its least value."""
    word = COMMANDS[name]["opcode"]
    for field, value in [(HEADER["wait"], wait), (HEADER["signal"], signal)]:
        word |= (value & VECTOR - 1) << field["low"] | (value // VECTOR) << field["vector"]
    for field in COMMANDS[name]["fields"]:
        value = fields.pop(field["name"], field.get("min", 0))
        value = field["values"].index(value) if isinstance(value, str) else int(value)
        if not 0 <= value < 1 << field["bits"]:
            raise ValueError(f"{name}.{field['name']} has {field['bits']} bits, not for {value}")
        word |= value << field["low"]
    if fields:
        raise TypeError(f"{name} has no field {', '.join(fields)}")
    return word.to_bytes(COMMAND_BYTES, "little")


class Driver:
    def __init__(self, bus, memory):
        self.bus, self.memory = bus, memory
        self.ring, self.ring_log2, self.tail, self.polls = 0, 0, 0, False

    async def read(self, name, i=0):
        return await self.bus.read(REGISTERS[name]["offset"] + i * REGISTERS[name].get("step", 0))

    async def write(self, name, value, i=0):
        step = REGISTERS[name].get("step", 0)
        await self.bus.write(REGISTERS[name]["offset"] + i * step, value)

    async def read_wide(self, name, i=0):
        return await self.read(name + "_low", i) | await self.read(name + "_high", i) << 32

    async def write_wide(self, name, value, i=0):
        await self.write(name + "_low", value & 0xFFFFFFFF, i)
        await self.write(name + "_high", value >> 32, i)

    async def counter(self, name):
        low = await self.bus.read(COUNTERS[name])
        return low | await self.bus.read(COUNTERS[name] + 4) << 32

    async def identify(self):
        for name in ("identity", "version"):
            expected, found = int(REGISTERS[name]["value"], 0), await self.read(name)
            if found != expected:
                raise RuntimeError(f"{name} is {found:#x}, this driver is for {expected:#x}")
        self.n = await self.read("array_size")
        for name in ("bank_rows", "row_buffer_rows", "weight_buffer_rows", "mask_rows"):
            setattr(self, name, await self.read(name))

    async def reset(self):
        await self.write("control", BITS["reset"])
        while await self.read("status") & BITS["resetting"]:
            pass
        self.tail = 0

    async def open_windows(self, windows):
        """windows: up to four of (base, end, readable, writable)."""
        access = 0
        for i, (base, end, readable, writable) in enumerate(windows):
            await self.write_wide("window_base", base, i)
            await self.write_wide("window_end", end, i)
            access |= (readable * BITS["readable"] | writable * BITS["writable"]) << 2 * i
        await self.write("window_access", access)

    async def set_ring(self, base, log2):
        await self.write_wide("ring_base", base)
        await self.write("ring_log2", log2)
        self.ring, self.ring_log2 = base, log2

    async def enable_interrupts(self, enabled=True):
        await self.write("interrupt_enable",
                         enabled * (BITS["done"] | BITS["fence"] | BITS["fault"]))
        self.polls = not enabled

    async def room(self):
        """Entries of the ring that may be written."""
        waiting = (self.tail - await self.read("ring_head")) & INDEX_MASK
        return (1 << self.ring_log2) - waiting

    async def ring_up(self, commands):
        """Writes commands, for which there must be room, and rings the doorbell."""
        for word in commands:
            at = self.ring + COMMAND_BYTES * (self.tail % (1 << self.ring_log2))
            self.memory[at:at + COMMAND_BYTES] = word
            self.tail = (self.tail + 1) & INDEX_MASK
        await self.write("ring_tail", self.tail)

    async def event(self):
        """Waits for the interrupt, clears it, and returns which events there were."""
        while True:
            if not self.polls:
                await self.bus.interrupt()
            events = await self.read("interrupt_status")
            if events:
                await self.write("interrupt_status", events)
                return events

    async def raise_fault(self):
        raise DeviceFault(FAULTS[await self.read("fault_code")], await self.read("fault_command"),
                          await self.read_wide("fault_address"))

    async def run(self, commands, at_once=1 << 16, fence=None):
        """Runs commands, at most so many at a doorbell, until all are done; resumes fences.

        fence(marker) is called where a fence waits. Raises DeviceFault; reset() leads on.
        """
        left = list(commands)
        while True:
            count = min(await self.room(), at_once, len(left)) if left else 0
            if count:
                await self.ring_up(left[:count])
                left = left[count:]
            events = 0 if left else await self.event()
            status = await self.read("status")
            if status & BITS["faulted"]:
                await self.raise_fault()
            if status & BITS["waits_for_host"]:
                if fence:
                    fence(await self.read("marker"))
                await self.write("resume", 0)
            elif events & BITS["done"] and not status & BITS["busy"]:
                return
