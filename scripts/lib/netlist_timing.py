"""Static timing of a flat Xilinx netlist that Yosys wrote as JSON.

Yosys' own `sta` has no arcs for carry chains, so the slowest path is found here. Every delay of a
cell is read from the `specify` blocks of Yosys' xilinx/cells_sim.v (Artix-7, slowest values). There
is no router for this family among the packages, so a wire between cells is an assumption: it is
stated in WIRE_NS and FANOUT_NS, and what comes out is called `synthesised`, not `routed`.
"""

import functools
import math
import re
from pathlib import Path

CELLS = Path("/usr/share/yosys/xilinx/cells_sim.v")

WIRE_NS = 0.35    # a wire to one input; Yosys' delays of table inputs include the switch before them
FANOUT_NS = 0.08  # more for each doubling of the inputs on a wire

REGISTERS = {"FDRE", "FDSE", "FDCE", "FDPE"}
DEDICATED = {("CARRY4", "CI"), ("MUXF7", "I0"), ("MUXF7", "I1"), ("MUXF8", "I0"), ("MUXF8", "I1")}
CONSTANTS = {"0", "1", "x", "z"}


@functools.cache
def module_text(name):
    found = re.search(rf"^module {name} ?\(.*?^endmodule", CELLS.read_text(), re.M | re.S)
    return found.group(0) if found else ""


@functools.cache
def arcs(name):
    """{(input, bit): [(output, bit, ns)]} of a combinational cell."""
    result = {}
    port = r"(\w+)(?:\[(\d+)\])?"
    for source, i, sink, o, ps in re.findall(rf"\({port}\s*=>\s*{port}\)\s*=\s*(\d+);", module_text(name)):
        result.setdefault((source, int(i or 0)), []).append((sink, int(o or 0), int(ps) / 1000))
    return result


@functools.cache
def multiplier_table(function):
    """{register or "": ns} of one of DSP48E1's timing functions, for a plain multiplication."""
    text = module_text("DSP48E1")
    if function.endswith(".comb"):
        ps = re.search(rf'DPORT == "FALSE"\)\s*\\{re.escape(function)} = (\d+);', text).group(1)
        return {"": int(ps) / 1000}
    body = re.search(rf"integer \\{re.escape(function)} ;(.*?)endfunction", text, re.S).group(1)
    table = {}
    # The first value of each register is that of a plain multiplication.
    for register, ps in re.findall(r"if \((\w+) != 0\)[^;]*?(\d+)\)? ?;", body):
        table.setdefault(register, int(ps) / 1000)
    return table


def is_set(cell, parameter):
    return int(str(cell["parameters"].get(parameter, "0")), 2) != 0


def multiplier_arcs(cell):
    """(inputs' comb ns, inputs' set-up ns, clock-to-output ns); None for what does not apply."""
    registers = [r for r in ("PREG", "MREG", "AREG", "BREG") if is_set(cell, r)]
    if not registers:
        return ({p: multiplier_table(f"{p}.P.comb")[""] for p in "AB"}, {}, None)
    arrival = multiplier_table("P.arrival")
    clock_to_output = next(arrival[r] for r in ("PREG", "MREG", "AREG", "BREG") if r in registers)
    setup = {}
    comb = {}
    for port in "AB":
        if f"{port}REG" in registers:
            setup[port] = multiplier_table(f"{port}.required")[f"{port}REG"]
        elif "MREG" in registers or "PREG" in registers:
            table = multiplier_table(f"{port}.required")
            setup[port] = table["MREG" if "MREG" in registers else "PREG"]
        else:
            comb[port] = multiplier_table(f"{port}.P.comb")[""]
    return comb, setup, clock_to_output


def slowest_ns(module):
    """The slowest path between registers, or from and to ports, in nanoseconds."""
    loads = {}
    for cell in module["cells"].values():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for bit in bits:
                    loads[bit] = loads.get(bit, 0) + 1

    def wire(cell_type, port, bit):
        if (cell_type, port) in DEDICATED:
            return 0.0
        return WIRE_NS + FANOUT_NS * math.log2(max(1, loads.get(bit, 1)))

    arrival = {}
    edges = {}   # net -> [(net, ns)]
    waits = {}   # net -> inputs still to come
    ends = []    # (net, ns after it)
    for cell in module["cells"].values():
        kind, pins = cell["type"], cell["connections"]

        def connect(source, sink, ns, port):
            if source in CONSTANTS or sink in CONSTANTS:
                return
            edges.setdefault(source, []).append((sink, ns + wire(kind, port, source)))
            waits[sink] = waits.get(sink, 0) + 1

        if kind in REGISTERS:
            # Clock to output, and set-up of 0: Yosys rounds the negative one up.
            arrival[pins["Q"][0]] = 0.303
            ends.append((pins["D"][0], wire(kind, "D", pins["D"][0])))
            for port, setup in (("CE", 0.109), ("R", 0.404), ("S", 0.404)):
                if port in pins:
                    ends.append((pins[port][0], setup + wire(kind, port, pins[port][0])))
        elif kind == "DSP48E1":
            comb, setup, clock_to_output = multiplier_arcs(cell)
            outputs = [bit for bit in pins["P"] if bit not in CONSTANTS]
            if clock_to_output is not None:
                for bit in outputs:
                    arrival[bit] = clock_to_output
            for port in "AB":
                for bit in set(pins[port]):
                    if port in setup:
                        ends.append((bit, setup[port] + wire(kind, port, bit)))
                    for output in outputs if port in comb else []:
                        connect(bit, output, comb[port], port)
        else:
            for (port, index), out in arcs(kind).items():
                if index < len(pins.get(port, [])):
                    for sink, bit, ns in out:
                        if bit < len(pins.get(sink, [])):
                            connect(pins[port][index], pins[sink][bit], ns, port)
            if kind == "INV":  # a table that is not merged
                connect(pins["I"][0], pins["O"][0], 0.127, "I")
    nets = set(edges) | set(waits) | set(arrival)
    ready = [net for net in nets if waits.get(net, 0) == 0]
    while ready:
        net = ready.pop()
        now = arrival.get(net, 0.0)
        for sink, ns in edges.get(net, []):
            arrival[sink] = max(arrival.get(sink, 0.0), now + ns)
            waits[sink] -= 1
            if waits[sink] == 0:
                ready.append(sink)
    return max((arrival[net] + ns for net, ns in ends if net in arrival), default=0.0)
