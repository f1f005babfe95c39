"""Simulates two modules of one function over arrays side by side: equal memories, and clocks."""

import re

import fpga
import twins

RUNS = 6
CLOCK_LIMIT = 1_000_000


def random_bits(width):
    words = ", ".join(["$urandom"] * ((width + 31) // 32))
    return f"(run % 2 ? $urandom & 3 : {{{words}}})"


def memories_of(ports):
    """{name: (width, address bits)} of the arrays that a module reads or writes."""
    widths = {name: width for _, width, name in ports}
    found = {}
    for name in widths:
        if match := re.fullmatch(r"(\w+)_(read_data_i|write_data_o)", name):
            array, way = match.group(1), match.group(2).split("_")[0]
            found[array] = (widths[name], widths[f"{array}_{way}_address_o"])
    return found


def memory_lines(array, width, bits, side, names):
    """An array of one side, with the ports that the module has."""
    lines = [f"  logic [{width - 1}:0] {array}_{side} [{2 ** bits}];"]
    edge = []
    if f"{array}_read_data_i" in names:
        edge.append(f"{array}_read_data_i_{side} <= {array}_read_enable_o_{side} ? "
                    f"{array}_{side}[{array}_read_address_o_{side}] : {random_bits(width)};")
    if f"{array}_write_data_o" in names:
        edge.append(f"if ({array}_write_enable_o_{side}) "
                    f"{array}_{side}[{array}_write_address_o_{side}] <= {array}_write_data_o_{side};")
    return lines + ["  always @(posedge clk_i) begin", *(f"    {one}" for one in edge), "  end"]


def bench(files):
    """A module `bench` that runs the modules of {side: file} on the same random arrays."""
    sides = list(files)
    ports = twins.ports_of(files[sides[0]])
    memories = memories_of(ports)
    names = {name for _, _, name in ports}
    scalars = [(width, name) for way, width, name in ports if way == "input" and
               name not in ("clk_i", "rst_ni", "start_i") and not name.endswith("_read_data_i")]
    results = [name for way, _, name in ports if way == "output" and name != "done_o" and
               not re.search(r"_(read|write)_(enable|address|data)_o$", name)]
    lines = ["module bench;", "  logic clk_i = 0, rst_ni = 0, start_i = 0;",
             "  integer run, clocks, differences = 0;"]
    lines += [f"  logic [{width - 1}:0] {name};" for width, name in scalars]
    shared = {"clk_i", "rst_ni", "start_i", *(name for _, name in scalars)}
    for side in sides:
        lines += [f"  integer clocks_{side}, least_{side} = {CLOCK_LIMIT}, most_{side} = 0;"]
        lines += [f"  logic [{width - 1}:0] {name}_{side};" for _, width, name in ports
                  if name not in shared]
        pins = ", ".join(f".{name}({name if name in shared else f'{name}_{side}'})"
                         for _, _, name in ports)
        lines.append(f"  {twins.module_of(files[side])} {side} ({pins});")
        for array, (width, bits) in memories.items():
            lines += memory_lines(array, width, bits, side, names)
    lines += ["  initial begin", "    repeat (4) begin #1 clk_i = 1; #1 clk_i = 0; end",
              "    rst_ni = 1;", f"    for (run = 0; run < {RUNS}; run++) begin"]
    lines += [f"      {name} = {random_bits(width)};" for width, name in scalars]
    for array, (width, bits) in memories.items():
        first, second = (f"{array}_{side}[i]" for side in sides)
        lines.append(f"      for (integer i = 0; i < {2 ** bits}; i++) begin {first} = "
                     f"{random_bits(width)}; {second} = {first}; end")
    lines += [f"      clocks_{side} = 0;" for side in sides]
    waits = " || ".join(f"clocks_{side} == 0" for side in sides)
    lines += ["      start_i = 1;",
              f"      for (clocks = 1; clocks < {CLOCK_LIMIT} && ({waits}); clocks++) begin",
              "        #1 clk_i = 1; #1 clk_i = 0; start_i = 0; #1;"]
    lines += [f"        if (done_o_{side} && clocks_{side} == 0) clocks_{side} = clocks;"
              for side in sides]
    lines.append("      end")
    for side in sides:
        lines += [f"      if (clocks_{side} == 0) differences++;",
                  f"      if (clocks_{side} < least_{side}) least_{side} = clocks_{side};",
                  f"      if (clocks_{side} > most_{side}) most_{side} = clocks_{side};"]
    for array, (_, bits) in memories.items():
        first, second = (f"{array}_{side}[i]" for side in sides)
        lines.append(f"      for (integer i = 0; i < {2 ** bits}; i++) "
                     f"if ({first} !== {second}) differences++;")
    for name in results:
        first, second = (f"{name}_{side}" for side in sides)
        lines.append(f"      if ({first} !== {second}) differences++;")
    lines += ["      repeat (2) begin #1 clk_i = 1; #1 clk_i = 0; end", "    end"]
    lines += [f'    $display("{side} %0d %0d", least_{side}, most_{side});' for side in sides]
    lines += ['    $display("%0d differences", differences);', "  end", "endmodule", ""]
    return "\n".join(lines)


def compare(files, cells, folder):
    """{side: [least, most clocks]} of the two modules of {side: file} on random arrays.

    Raises ToolError where they leave different arrays or outputs, or do not end.
    """
    said = twins.simulate(bench(files), [*files.values(), *cells], folder)
    if said[-1] != "0 differences":
        raise fpga.ToolError(f"{' and '.join(files)} differ: {' '.join(said)}")
    return {side: [int(least), int(most)] for side, least, most in map(str.split, said[-3:-1])}
