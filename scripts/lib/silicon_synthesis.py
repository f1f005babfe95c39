"""Maps modules onto an open library with Yosys and ABC: area, longest path, netlist."""

import json
import re
from pathlib import Path

import fpga

# Memories are bought or compiled, not synthesised.
MEMORIES = ["systole_ram", "systole_masked_ram", "systole_single_port_ram", "systole_dual_port_ram"]
SYNTHESISED = ["systole_rom", "systole_fifo", "systole_register_slice"]


def cell_files(names):
    """The files of hand-written cells."""
    return [fpga.ROOT / "rtl" / "cells" / f"{name}.sv" for name in names]


# Without a memory takes the register of its read address, whose copy has no name of the source.
# Of the generic netlist only its registers and their names are read.
GENERIC_SCRIPT = """\
read_verilog -sv -lib {memories}
read_verilog -sv -D SYNTHESIS {files}
hierarchy -check -top {top}
synth -noabc -nofsm -nordff -top {top}
dfflegalize -cell $_DFF_P_ 01
simplemap
opt_clean
write_rtlil generic.il
flatten
delete t:* t:$_DFF_P_ %d
write_json generic.json
"""

SCRIPT = """\
read_rtlil {generic}/generic.il
dfflibmap -liberty {liberty}
tee -o abc.txt abc -liberty {liberty} -constr constraints.txt -D {picoseconds}
opt_clean -purge
tee -q -o stat.txt stat -liberty {liberty}
flatten
opt_clean -purge
write_json netlist.json
"""


def write_generic(files, top, folder):
    """Writes the design as gates of no library into `folder`, with its registers by name."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    used = sorted({*files, *cell_files(SYNTHESISED)})
    (folder / "script.ys").write_text(GENERIC_SCRIPT.format(
        memories=" ".join(map(str, cell_files(MEMORIES))),
        files=" ".join(map(str, used)), top=top))
    fpga.run(["yosys", "-q", "script.ys"], folder=folder)


def buffer_of(library):
    """The smallest inverter or buffer, which drives every input."""
    best = None
    for cell in library.cells.values():
        pins = list(cell.pins.values())
        outputs = [pin for pin in pins if pin.function]
        inputs = [pin for pin in pins if pin.direction == "input"]
        if cell.state or len(outputs) != 1 or len(inputs) != 1 or cell.area <= 0:
            continue
        if best is None or cell.area < best[0].area:
            best = (cell, inputs[0])
    if best is None:
        raise fpga.ToolError(f"{library.name}: no buffer and no inverter")
    return best


def synthesise(generic, top, liberty, library, folder, picoseconds=100):
    """Maps what `write_generic` wrote into the folder `generic`; runs Yosys in `folder`.
    picoseconds: the delay that ABC aims at."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    driver, pin = buffer_of(library)
    load = 4 * pin.capacitance * library.farads / 1e-15  # femtofarads
    (folder / "constraints.txt").write_text(
        f"set_driving_cell {driver.name}\nset_load {load:g}\n")
    (folder / "script.ys").write_text(
        SCRIPT.format(generic=generic, liberty=liberty, picoseconds=picoseconds))
    fpga.run(["yosys", "-q", "script.ys"], folder=folder)
    return result(folder, top, library)


def longest_path(text):
    """ABC's longest path in picoseconds, of all modules that it mapped."""
    delays = [float(one) for one in re.findall(r"Delay =\s*([\d.]+) ps", text)]
    return max(delays) if delays else None


def result(folder, top, library):
    netlist = json.loads((Path(folder) / "netlist.json").read_text())["modules"][top]
    area, flops, counts, memories = 0.0, 0, {}, {}
    for name, cell in netlist["cells"].items():
        kind = cell["type"]
        if kind in library.cells:
            area += library.cells[kind].area
            flops += library.cells[kind].state is not None
            counts[kind] = counts.get(kind, 0) + 1
        elif kind in MEMORIES:
            memories[name] = memory_bits(cell)
        else:
            raise fpga.ToolError(f"{top}: cell {kind} is not in {library.name}")
    return {"top": top, "area": area, "cells": sum(counts.values()), "flip_flops": flops,
            "picoseconds": longest_path((Path(folder) / "abc.txt").read_text()),
            "memory_bits": sum(memories.values())}


def memory_bits(cell):
    parameters = {name: int(str(value), 2) if set(str(value)) <= {"0", "1"} else int(value)
                  for name, value in cell.get("parameters", {}).items()}
    return parameters.get("Width", 32) * parameters.get("Depth", 16)
