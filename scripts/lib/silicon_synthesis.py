"""Maps modules onto an open library with Yosys and ABC: area, longest path, netlist."""

import hashlib
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
GENERIC_SCRIPT = """\
read_verilog -sv -lib {memories}
read_verilog -sv -D SYNTHESIS {files}
hierarchy -check -top {top}
synth -noabc -nofsm -nordff -top {top}
dfflegalize -cell $_DFF_P_ 01
simplemap
opt_clean
write_rtlil yosys.il
"""

# Without combining a module with what is around it.
MAP_SCRIPT = """\
read_rtlil waiting.il
dfflibmap -liberty {liberty} A:waits
tee -o abc.txt abc -liberty {liberty} -constr constraints.txt -D {picoseconds} A:waits
opt_clean -purge A:waits
select A:waits
setattr -mod -unset waits
write_rtlil -selected mapped.il
"""

# Of the design before it was mapped only the registers and their names are read.
FLAT_SCRIPT = """\
read_rtlil registers.il
hierarchy -top {top}
flatten
delete t:* t:$_DFF_P_ %d
write_json generic.json
design -reset
read_rtlil hierarchy.il
hierarchy -top {top}
flatten
opt_clean -purge
write_json netlist.json
"""


# ---- A design as text, by module ----

HEAD = "autoidx 1000000000\n"  # above each number in a name


def modules_of(text):
    """The text of each module in RTLIL, by name."""
    parts = re.findall(r"((?:^attribute .*\n)*^module (\S+)\n(?:(?!end\n).*\n)*end\n)", text, re.M)
    return {name: part for part, name in parts}


def without_sources(text):
    return re.sub(r"^ *attribute \\(?:src|top) .*\n", "", text, flags=re.M)


def without_numbers(text):
    """A module whose text does not depend on what was read beside it."""
    numbers = {}
    return re.sub(r"(\$paramod\S*)|\$(\d+)", lambda match: match[1] or
                  f"${numbers.setdefault(match[2], len(numbers))}", without_sources(text))


def below(modules, top):
    """The names of `top` and of all modules in it."""
    found, waiting = [], [top]
    while waiting:
        name = waiting.pop()
        if name in modules and name not in found:
            found.append(name)
            waiting += set(re.findall(r"^  cell (\S+) ", modules[name], re.M))
    return found


def is_box(text):
    return "attribute \\blackbox 1\n" in text


def write_text(file, texts):
    Path(file).write_text(HEAD + "".join(texts))


def run_yosys(folder, script):
    (folder / "script.ys").write_text(script)
    fpga.run(["yosys", "-q", "-t", "-l", "log.txt", "script.ys"], folder=folder)


def write_generic(files, top, folder):
    """Writes the design as gates of no library into `folder`."""
    used = sorted({*files, *cell_files(SYNTHESISED)})
    run_yosys(folder, GENERIC_SCRIPT.format(memories=" ".join(map(str, cell_files(MEMORIES))),
                                            files=" ".join(map(str, used)), top=top))
    written = folder / "yosys.il"
    write_text(folder / "generic.il", map(without_numbers, modules_of(written.read_text()).values()))
    written.unlink()


def generic_of(folder):
    """The modules that `write_generic` wrote into `folder`."""
    return modules_of((folder / "generic.il").read_text())


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


class Mapped:
    """The modules that were mapped onto a library, in `folder`; each is mapped once.
    picoseconds: the delay that ABC aims at."""

    def __init__(self, liberty, library, folder, picoseconds=100):
        self.library, self.folder = library, folder
        driver, pin = buffer_of(library)
        load = 4 * pin.capacitance * library.farads / 1e-15  # femtofarads
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "constraints.txt").write_text(
            f"set_driving_cell {driver.name}\nset_load {load:g}\n")
        self.script = MAP_SCRIPT.format(liberty=liberty, picoseconds=picoseconds)
        self.by = hashlib.sha256(Path(liberty).read_bytes()
                                 + MAP_SCRIPT.encode() + str(picoseconds).encode()).digest()

    def file(self, generic):
        """Of the module that has the text `generic` before it is mapped."""
        return self.folder / f"{hashlib.sha256(self.by + generic.encode()).hexdigest()[:24]}.il"

    def text(self, generic):
        """The module on the library, where it is mapped, else as it is."""
        file = self.file(generic)
        return file.read_text() if file.exists() else generic

    def need(self, modules):
        """Maps those of `modules`, texts by name, that are not yet mapped."""
        waiting = [name for name, text in modules.items() if not (is_box(text) or self.file(text).exists())]
        if not waiting:
            return
        write_text(self.folder / "waiting.il", (
            ("attribute \\waits 1\n" if name in waiting else "") + self.text(text)
            for name, text in modules.items()))
        run_yosys(self.folder, self.script)
        written = modules_of((self.folder / "mapped.il").read_text())
        delays = delays_of((self.folder / "abc.txt").read_text())
        for name in waiting:
            self.file(modules[name]).write_text(
                f"# picoseconds {delays.get(name, 0)}\n" + without_sources(written[name]))
        for one in ("waiting", "mapped"):
            (self.folder / f"{one}.il").unlink()

    def flatten(self, modules, top, folder):
        """Maps `top`, named as in the source, of `modules` and all in it, and writes its flat netlist and its
        registers into `folder`. Its area and path."""
        used = {name: modules[name] for name in below(modules, f"\\{top}")}
        self.need(used)
        texts = [self.text(text) for text in used.values()]
        write_text(folder / "registers.il", used.values())
        write_text(folder / "hierarchy.il", texts)
        run_yosys(folder, FLAT_SCRIPT.format(top=top))
        for one in ("registers", "hierarchy"):
            (folder / f"{one}.il").unlink()
        delays = [float(one) for text in texts for one in re.findall(r"^# picoseconds (.*)$", text, re.M)]
        return self._result(folder, top) | {"picoseconds": max(delays) or None}

    def _result(self, folder, top):
        netlist = json.loads((folder / "netlist.json").read_text())["modules"][top]
        area, flops, cells, memories = 0.0, 0, 0, 0
        for cell in netlist["cells"].values():
            kind = cell["type"]
            if kind in self.library.cells:
                area += self.library.cells[kind].area
                flops += self.library.cells[kind].state is not None
                cells += 1
            elif kind in MEMORIES:
                memories += memory_bits(cell)
            else:
                raise fpga.ToolError(f"{top}: cell {kind} is not in {self.library.name}")
        return {"top": top, "area": area, "cells": cells, "flip_flops": flops, "memory_bits": memories}


def delays_of(text):
    """ABC's longest path in picoseconds of each module that has gates."""
    parts = re.split(r"Extracting gate netlist of module `(\S+)' ", text)[1:]
    found = zip(parts[::2], (re.findall(r"Delay =\s*([\d.]+) ps", part) for part in parts[1::2]))
    return {name: float(delays[-1]) for name, delays in found if delays}


def memory_bits(cell):
    parameters = {name: int(str(value), 2) if set(str(value)) <= {"0", "1"} else int(value)
                  for name, value in cell.get("parameters", {}).items()}
    return parameters.get("Width", 32) * parameters.get("Depth", 16)
