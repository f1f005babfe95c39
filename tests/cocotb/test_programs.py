"""Products, convolutions and stores: every byte of memory, while all channels pause at random."""

import os
import random

import cocotb

from bench import COUNTS, Bench
from driver import command
from programs import INPUTS, OUTPUTS, random_cases

FIRST, PROGRAMS = int(os.environ.get("SEED", "1")), int(os.environ.get("PROGRAMS", "8"))


@cocotb.test()
async def random_programs_leave_what_numerics_says(dut):
    device = Bench(dut)
    device.pause(FIRST)
    await device.power_on()
    for seed in range(FIRST, FIRST + PROGRAMS):
        draw = random.Random(seed)
        cocotb.log.info("seed %d", seed)
        device.pause(draw.choice([None, seed]))
        await device.prepare([(*INPUTS, True, False), (*OUTPUTS, False, True)],
                             ring=draw.randrange(0x100, 0x2000) // 16 * 16,
                             ring_log2=draw.randint(0, 7))
        await device.enable_interrupts(draw.random() < 0.7)
        markers = []
        words = []
        cases = random_cases(draw, device, draw.randint(1, 5))
        for i, case in enumerate(cases):
            words += case.words
            if draw.random() < 0.5:
                waits = draw.randrange(2)
                words.append(command("fence", interrupt=waits, wait_for_host=waits, marker=i + 1))
                markers += [i + 1] if waits else []
        seen = []
        expected = bytearray(device.memory[slice(*OUTPUTS)])
        for case in cases:
            at = case.at - OUTPUTS[0]
            expected[at:at + len(case.expected)] = case.expected
        await device.run(words, draw.choice([1, 3, 1 << 16]), seen.append)
        for case in cases:
            case.check()
        assert device.memory[slice(*OUTPUTS)] == expected, f"seed {seed}: other bytes were written"
        assert seen == markers, f"seed {seed}: fences {seen}, expected {markers}"
        assert await device.counter("commands") == len(words)
        assert await device.read("ring_head") == len(words)
        COUNTS["programs"] += 1
        COUNTS["products"] += len(cases)
