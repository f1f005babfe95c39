"""Generated modules beside Verilog written by hand: ports, simulation with Icarus, ratios."""

import math
import re

import fpga


def module_of(file):
    return re.search(r"^module (\w+)", file.read_text(), re.M).group(1)


def ports_of(file):
    """[(direction, width, name)] of the ports of a module."""
    header = re.search(r"^module \w+ \((.*?)^\);", file.read_text(), re.M | re.S).group(1)
    found = re.findall(r"(input|output)\s+logic\s*(?:signed)?\s*(?:\[(\d+):0\])?\s*(\w+)", header)
    return [(direction, int(high or 0) + 1, name) for direction, high, name in found]


def simulate(text, files, folder):
    """The lines that a module `bench` prints, simulated with the files by Icarus."""
    bench = folder / "bench.sv"
    bench.write_text(text)
    fpga.run(["iverilog", "-g2012", "-s", "bench", "-o", folder / "bench", bench, *files])
    return fpga.run(["vvp", "-n", folder / "bench"]).strip().splitlines()


def area(files, folder, target="xc7"):
    """Area of the module in the first file; the others are cells that it may use."""
    cells, _ = fpga.synthesise(files, module_of(files[0]), target, folder)
    return fpga.area(cells, target)


def ratio(one, kind):
    """Of hlsc's figure to that by hand."""
    return one["hlsc"][kind] / one["hand"][kind] if one["hand"][kind] else 1.0


def summary(kernels, kinds):
    """Geometric mean and worst of the ratios of each kind of figure."""
    found = {}
    for kind in kinds:
        ratios = {one["kernel"]: ratio(one, kind) for one in kernels}
        worst = max(ratios, key=ratios.get)
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        found[kind] = {"geometric_mean": mean, "worst": ratios[worst], "worst_kernel": worst}
    return found


def table(head, rows):
    """A table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])
