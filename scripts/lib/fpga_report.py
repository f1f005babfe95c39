"""What a router's report says: area, clock, slowest path; and docs/fpga.md from them."""

import re
import statistics

import fpga
import fpga_route

# nextpnr's names for what a reader looks for.
PARTS = {"TRELLIS_COMB": "look-up tables", "TRELLIS_FF": "flip-flops", "MULT18X18D": "multipliers",
         "DP16KD": "block RAMs"}


def slowest_clock(report):
    """(clock, MHz) of the slowest clock."""
    clocks = report.get("fmax")
    if not clocks:
        raise fpga.ToolError("the router's report has no clock: the design has no path from "
                             "register to register, or nextpnr failed")
    clock, times = min(clocks.items(), key=lambda one: one[1]["achieved"])
    return clock, times["achieved"]


def slowest_path(report, clock):
    """The steps of the path within the clock's domain."""
    for path in report.get("critical_paths", []):
        if path["from"].endswith(clock) and path["to"].endswith(clock):
            return path["path"]
    raise fpga.ToolError(f"the router's report has no path of the clock {clock}")


def register_name(cell):
    """A flip-flop's register, by the name that Yosys makes of the signal that it drives."""
    name = re.sub(r"^inside\.", "", cell)
    return re.sub(r"(_TRELLIS_FF|_DP16KD|_MULT18X18D|_LUT4|_CCU2C|_PFUMX|_L6MUX21|\$).*", "",
                  name) or cell


def describe(report):
    """The slowest path: MHz, ns in all and of logic, levels, ends, lines of SystemVerilog."""
    clock, mhz = slowest_clock(report)
    steps = slowest_path(report, clock)
    lines = []
    for step in steps:
        for source in step.get("sources", []):
            found = re.search(r"(systole_\w+\.sv):(\d+)", source)
            if found and found.groups() not in lines[-1:]:
                lines.append(found.groups())
    return {"clock": clock, "fmax_mhz": mhz, "slowest_ns": sum(step["delay"] for step in steps),
            "logic_ns": sum(step["delay"] for step in steps if step["type"] != "routing"),
            # A chain's bits are one level.
            "levels": sum(step["type"] == "logic" and step["to"].get("port") not in ("FCO",)
                          for step in steps),
            "from": register_name(steps[0]["to"]["cell"]),
            "to": register_name(steps[-1]["to"]["cell"]),
            "lines": [f"{file}:{line}" for file, line in lines],
            "used": {part: report["utilization"].get(part, {}).get("used", 0) for part in PARTS}}


def pads(report):
    """How many pads have registers; of the others, [name, ns] of the slowest from the clock to its
    pad, and from its pad to a register."""
    used = lambda cell: report["utilization"].get(cell, {}).get("used", 0)
    found = {"registered": used("IOLOGIC") + used("SIOLOGIC"), "out": None, "in": None}
    for path in report["critical_paths"]:
        delay = sum(step["delay"] for step in path["path"])
        name = lambda step, end: step[end].get("cell", "").removesuffix("$tr_io")
        if path["to"] == "<async>" and path["from"].startswith("posedge"):
            found["out"] = [name(path["path"][-1], "to"), delay]
        if path["from"] == "<async>" and path["to"].startswith("posedge"):
            found["in"] = [name(path["path"][0], "from"), delay]
    return found


def median(one):
    return statistics.median(seed["fmax_mhz"] for seed in one["seeds"].values())


def error(one):
    """By how much the estimated MHz are above the routed ones."""
    return 1000 / one["estimated_ns"] / median(one) - 1


def source_lines(one, path):
    """hlsc's lines of C++ to the same register or into the same submodule, where it timed them."""
    plain = lambda name: re.sub(r"_(q|o|i)?$", "", re.sub(r"[.\[].*", "", name))
    ends = [(plain(timed["to"]), timed["positions"]) for timed in one["estimated_paths"]]
    to = plain(path["to"])
    for same in (lambda end: end == to, lambda end: to.startswith(f"{end}_")):
        for end, positions in ends:
            if same(end):
                return positions
    return []


def with_instances(counts, top):
    """[{module, instances, tables, flip_flops, ram_tables}] of the modules below `top`, what is
    inside each of them included, the largest first. A carry cell has two tables."""
    sums, uses = {}, {}

    def add_up(name):
        if name not in sums:
            own = counts[name]
            sums[name] = [own.get("LUT4", 0) + 2 * own.get("CCU2C", 0), own.get("TRELLIS_FF", 0),
                          own.get("TRELLIS_DPR16X4", 0)]
            for kind, number in own.items():
                if kind in counts:
                    sums[name] = [a + number * b for a, b in zip(sums[name], add_up(kind))]
        return sums[name]

    def count_uses(name, number):
        uses[name] = uses.get(name, 0) + number
        for kind, times in counts[name].items():
            if kind in counts:
                count_uses(kind, number * times)

    add_up(top)
    count_uses(top, 1)
    rows = [{"module": name, "instances": uses[name], "tables": one[0], "flip_flops": one[1],
             "ram_cells": one[2]} for name, one in sums.items() if not name.startswith("$")]
    return sorted(rows, key=lambda row: -row["instances"] * row["tables"])


def area_lines(n, one):
    total = one["modules"][0]["tables"]
    rows = [row for row in one["modules"] if row["tables"] * row["instances"] >= 0.03 * total]
    return [f"Where the tables of N = {n} are, by a synthesis that keeps the modules "
            f"apart (commit {one['commit']},", f"{one['stages']} stages), so that nothing is shared "
            "across their edges; with what is inside each, from 3% on:", "",
            "| module | instances | tables each | share | flip-flops each | RAM cells each |",
            "|---|---|---|---|---|---|",
            *(f"| {row['module'].removeprefix('systole_')} | {row['instances']} | "
              f"{row['tables']:,} | {100 * row['tables'] * row['instances'] / total:.1f}% | "
              f"{row['flip_flops']:,} | {row['ram_cells']:,} |" for row in rows), ""]


def board_lines(result):
    met = "met" if result["fmax_mhz"] >= result["clock_mhz"] else "NOT met"
    used, ends = result["used"], result["pads"]
    lines = [
        f"`{result['top']}` on {result['part']}, everything between the pads included: the "
        "accelerator of N = 4,", "the serial link and the SDRAM's controller ([board.md](board.md)).",
        "", "| | |", "|---|---|", f"| clock | {result['clock_mhz']} MHz, timing {met} |",
        f"| fastest | {result['fmax_mhz']:.1f} MHz (seed {result['seed']}) |"]
    lines += [f"| {words} | {used[name]:,} |" for name, words in PARTS.items()]
    lines += [
        f"| slowest path | {result['slowest_ns']:.1f} ns, {result['logic_ns']:.1f} of it logic, "
        f"{result['levels']} levels |",
        f"| from, to | `{result['from']}`, `{result['to']}` |"]
    lines.append(f"| pads with registers of their own | {ends['registered']} |")
    if ends["out"] and ends["in"]:
        (out, out_ns), (come, in_ns) = ends["out"], ends["in"]
        lines.append(f"| slowest of the others | {out_ns:.1f} ns from the clock to `{out}`, "
                     f"{in_ns:.1f} ns from `{come}` to a register |")
    return lines + [f"| made | {result['date']}, commit {result['commit']} |"]


SHOWN_BELOW_MHZ = 105


def row(one):
    """What the page says of a routed module."""
    seeds = sorted(seed["fmax_mhz"] for seed in one["seeds"].values())
    used = next(iter(one["seeds"].values()))["used"]
    found = {"tables": used["TRELLIS_COMB"], "flip_flops": one["cells"].get("TRELLIS_FF", 0),
             "multipliers": used["MULT18X18D"], "block_rams": used["DP16KD"], "mhz": round(median(one)),
             "seeds": len(seeds), "spread": [round(seeds[0]), round(seeds[-1])],
             "estimated_mhz": round(1000 / one["estimated_ns"]), "error_percent": round(100 * error(one)),
             "date": one["date"], "commit": one["commit"]}
    if median(one) < SHOWN_BELOW_MHZ:
        path = max(one["seeds"].values(), key=lambda seed: seed["slowest_ns"])
        found["path"] = {"ns": round(path["slowest_ns"], 1), "logic_ns": round(path["logic_ns"], 1),
                         "levels": path["levels"], "from": path["from"], "to": path["to"],
                         "source": " ".join(source_lines(one, path))}
    return found


def merged(record, kept):
    """The record of what the page says, with what was kept of later runs."""
    found = {part: dict(record.get(part, {})) for part in ("boards", "areas", "modules", "unrouted")}
    for name, one in kept.items():
        if name.startswith("board "):
            found["boards"][name.removeprefix("board ")] = one
        elif name.startswith("area "):
            found["areas"][name.removeprefix("area ")] = one
        elif one["seeds"]:
            found["modules"][name] = row(one)
            found["unrouted"].pop(name, None)
        elif name not in found["modules"]:
            found["unrouted"][name] = round(1000 / one["estimated_ns"])
    return found


def module_lines(modules):
    lines = ["| module | tables | flip-flops | multipliers | block RAMs | routed, MHz | seeds | "
             "estimated | error |", "|---|---|---|---|---|---|---|---|---|"]
    for name, one in modules:
        spread = f": {one['spread'][0]} to {one['spread'][1]}" if one["seeds"] > 1 else ""
        lines.append(
            f"| {name} | {one['tables']:,} | {one['flip_flops']:,} | {one['multipliers']} | "
            f"{one['block_rams']} | {one['mhz']} | {one['seeds']}{spread} | {one['estimated_mhz']} | "
            f"{one['error_percent']:+d}% |")
    return lines


def unrouted_lines(unrouted):
    if not unrouted:
        return []
    return ["Not routed, with hlsc's estimates in MHz:",
            ", ".join(f"{name} {mhz}" for name, mhz in sorted(unrouted.items(), key=lambda one: one[1])) + ".",
            ""]


def path_lines(modules):
    lines = ["| module | ns | logic | levels | from | to | source |", "|---|---|---|---|---|---|---|"]
    for name, one in modules:
        if path := one.get("path"):
            lines.append(f"| {name} | {path['ns']} | {path['logic_ns']} | {path['levels']} | `{path['from']}` | "
                         f"`{path['to']}` | {path['source']} |")
    return lines


# Where a core receives and where it sends.
ENDS_OF_LINKS = ("vector_link_reader", "vector_link_writer")


def link_lines(modules):
    """What the ends of a core's links take at N = 16, beside the array's elements."""
    rows = [modules.get(f"{name}, N = 16") for name in ENDS_OF_LINKS]
    element = modules.get("processing_element")
    if element is None or None in rows:
        return []
    total = lambda part: sum(row[part] for row in rows)
    share = lambda part: f"{100 * total(part) / (256 * element[part]):.1f}%"
    return [f"The ends of a core's links, `{ENDS_OF_LINKS[0]}` and `{ENDS_OF_LINKS[1]}`, take {total('tables'):,} "
            f"tables and {total('flip_flops'):,} flip-flops", f"at N = 16: {share('tables')} and "
            f"{share('flip_flops')} of what the 256 processing elements take, which are a part of the device.", ""]


def page(record, tools, part, stages):
    boards, areas, unrouted = (record[one] for one in ("boards", "areas", "unrouted"))
    modules = sorted(record["modules"].items(), key=lambda named: named[1]["mhz"])
    lines = ["# FPGA: routed figures", "",
             "<!-- Generated by scripts/fpga --record from docs/trust/fpga.json. Do not edit. -->", "",
             "Placed and routed with open tools, not measured on a board.", ""]
    if boards:
        lines += ["## A board", ""]
        for result in boards.values():
            lines += board_lines(result) + [""]
    if modules:
        within = sum(abs(one["error_percent"]) <= 15 for _, one in modules)
        every = lambda key, mark: sorted({word for _, one in modules for word in one[key].split(mark)})
        commits, dates = ", ".join(every("commit", ", ")), every("date", " to ")
        lines += [
            "## Modules", "",
            "The accelerator's modules, `whole`, all of it, and those of a `link` between two, with registers "
            "around,", f"out of context on {part}, compiled by `hlsc --target ecp5`; of N = 4 unless the name "
            "says so.", "Routed is the median of the seeds, each of which is one placement; estimated is hlsc's",
            "([hlsc.md](hlsc.md)), with submodules. Tables are the router's slots, in which a carry bit has one;",
            f"flip-flops are without the registers around. The multiply-add has {stages} stages.", "",
            *module_lines(modules), "",
            f"Estimates within 15%: {within} of {len(modules)}. Routed from {dates[0]} to {dates[-1]}; the "
            f"text is that of commit {commits}.", "",
            *unrouted_lines(unrouted),
            *(line for n, one in areas.items() for line in area_lines(n, one)), *link_lines(record["modules"]),
            "## Slowest paths", "",
            f"Of the slowest seed of each module below {SHOWN_BELOW_MHZ} MHz. The source lines are those of "
            "hlsc's slowest path to the same", "register, where it is one of its twenty slowest.", "",
            *path_lines(modules), ""]
    lines += [f"Tools: {', '.join(tools)}; `synth_ecp5 -abc9`, for `whole` and a board with "
              f"`{fpga_route.DENSE}`.", "Yosys leaves multipliers' output registers unused; the script "
              "moves flip-flops that take a product alone there.", "",
              "    scripts/fpga --modules --seeds 3 --record",
              f"    scripts/fpga --modules {' '.join(ENDS_OF_LINKS)} link --array 16 --record",
              "    scripts/fpga --area --record",
              "    scripts/fpga --board ulx3s --record", ""]
    return "\n".join(lines)
