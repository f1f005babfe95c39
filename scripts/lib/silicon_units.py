"""The parts of the device that are mapped onto a library, and where they lie in a trace."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import fpga
from gate_energy import GateError, States

N = 4
ROOT_SCOPE = "systole_accelerator"


@dataclass
class Unit:
    top: str
    scope: str   # below the accelerator; None: not in the trace
    about: str
    n: int = N   # of the device that has it


UNITS = {
    "processing_element": Unit("systole_processing_element", "u_unit.u_array", "one multiply-add"),
    "array_4": Unit("systole_systolic_array", "u_unit.u_array", "16 elements, skew and deskew"),
    "array_8": Unit("systole_systolic_array", None, "64 elements", 8),
    "array_16": Unit("systole_systolic_array", None, "256 elements", 16),
    "accumulators": Unit("systole_accumulators", "u_unit.u_totals", "adders, without the banks"),
    "load_engine": Unit("systole_load_engine", "u_load", "memory to buffers"),
    "compute_engine": Unit("systole_compute_engine", "u_compute", "buffers to array: feeders, turners"),
    "store_engine": Unit("systole_store_engine", "u_store", "accumulators to memory"),
    "vector_unit": Unit("systole_vector_unit", "u_vector.u_unit", "4 lanes, without register files"),
    "core": Unit("systole_accelerator", "", "the whole device, without memories"),
}


def files(unit, build):
    """The SystemVerilog of a unit and all below it."""
    rtl = Path(build) / "rtl"
    if unit == "processing_element":
        return [rtl / "generated" / "systole_processing_element.sv"]
    n = UNITS[unit].n
    folder = rtl / f"generated_{n}"
    found, waiting = {}, [UNITS[unit].top]
    while waiting:
        name = waiting.pop()
        file = folder / f"{name}.sv"
        if name in found or not file.exists():
            continue
        found[name] = file
        waiting += re.findall(r"^ +(systole_\w+) (?:#\(.*\) )?u_\w+ \($", file.read_text(), re.M)
    if not found:
        raise GateError(f"{folder}: no {UNITS[unit].top}.sv; build the RTL of the {n} x {n} array "
                        "first")
    return sorted(found.values())


def in_core(unit):
    """Whether the unit is a module of the core; there, elements are part of the array."""
    return UNITS[unit].n == N and unit not in ("processing_element", "core")


def root(trace):
    for name in trace.names():
        place = f".{name}".find(f".{ROOT_SCOPE}.")
        if place >= 0:
            return name[:place + len(ROOT_SCOPE)]
    raise GateError(f"the trace has no {ROOT_SCOPE}")


def scope(unit, trace):
    below = UNITS[unit].scope
    return root(trace) + (f".{below}" if below else "")


def states(unit, trace):
    """What each netlist of the unit takes from the trace: an element's four, else one."""
    if unit != "processing_element":
        return [States(trace, scope(unit, trace))]
    places = [row * N + column for row in range(1, N) for column in range(1, N)]
    return [States(trace, scope(unit, trace), element_names(trace, scope(unit, trace), i))
            for i in places]


def element_names(trace, array, i):
    """An element's registers and inputs, as the array of elements has them."""
    def values(name, place):
        return trace.bits(f"{array}.{name}[{place}]")

    def less_one(bits):
        """The hops that the element to the left hands on: its own less one."""
        mask = (1 << trace.samples) - 1
        result, borrow = [], mask
        for bit in bits:
            result.append(bit ^ borrow)
            borrow &= mask & ~bit
        return result

    inputs = {"operand_activation_i": lambda: values("pe_operand_activation_q", i - 1),
              "operand_plane_i": lambda: values("pe_operand_plane_q", i - 1),
              "operand_is_int8_i": lambda: values("pe_operand_is_int8_q", i - 1),
              "weight_value_i": lambda: values("pe_passing_value_q", i - 1),
              "weight_hops_i": lambda: less_one(values("pe_passing_hops_q", i - 1)),
              "weight_plane_i": lambda: values("pe_passing_plane_q", i - 1),
              "weight_valid_i": lambda: values("pe_passing_valid_q", i - 1),
              "sum_i": lambda: values("pe_mac_q", i - N)}

    def rename(name):
        if name in inputs:
            return inputs[name]()
        if name == "sum_o":  # the port is the last stage's register
            return f"pe_mac_q[{i}]"
        return f"pe_{name}[{i}]" if name.endswith("_q") else None

    return rename


def rows(trace):
    """The clocks of each window in which a row entered the array, and those of all."""
    bit = trace.bits(f"{root(trace)}.u_unit.row_valid_i")[0]
    return [((bit & ((1 << last) - (1 << first))).bit_count(), last - first)
            for first, last in trace.windows if last > first]


# ---- Samples of a step ----


def samples(text):
    """Windows, their clocks and the seed of "8x256:1"."""
    match = re.fullmatch(r"(\d+)x(\d+)(?::(\d+))?", text)
    if not match or int(match[1]) == 0 or int(match[2]) < 2:
        raise ValueError(f"--samples {text}: give windows and their clocks, two or more, and a seed "
                         "if you like, as 8x256:1")
    return int(match[1]), int(match[2]), int(match[3] or 1)


def mixed(value):
    """SplitMix64 (G. Steele et al., "Fast splittable pseudorandom number generators", 2014)."""
    mask = (1 << 64) - 1
    value = (value + 0x9e3779b97f4a7c15) & mask
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & mask
    value = (value ^ value >> 27) * 0x94d049bb133111eb & mask
    return value ^ value >> 31


def windows(clocks, count, length, seed):
    """The first and last clock of each window: one in each equal part, where the seed says."""
    part = clocks // count
    if length > part:
        raise GateError(f"{count} windows of {length} clocks do not fit into {clocks} clocks")
    firsts = [i * part + mixed(seed + i) % (part - length + 1) for i in range(count)]
    return [(first, first + length - 1) for first in firsts]


def fst_reader(folder):
    """The program that writes an FST trace as VCD, made of Verilator's own reader."""
    program = Path(folder) / "fst_text"
    if not program.exists():
        root = os.environ.get("VERILATOR_ROOT") or fpga.run(
            ["verilator", "--getenv", "VERILATOR_ROOT"]).strip()
        reader = Path(root) / "include" / "gtkwave"
        fpga.run(["cc", "-O2", "-w", f"-I{reader}", '-DFST_CONFIG_INCLUDE="fst_config.h"',
                  Path(__file__).with_name("fst_text.c"),
                  *(reader / f"{name}.c" for name in ("fstapi", "fastlz", "lz4")), "-lz", "-o",
                  program])
    return program
