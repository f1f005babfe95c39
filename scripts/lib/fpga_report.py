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


def area_lines(name, one):
    total = one["modules"][0]["tables"]
    rows = [row for row in one["modules"] if row["tables"] * row["instances"] >= 0.03 * total]
    return [f"Where the tables of N = {name.split()[1]} are, by a synthesis that keeps the modules "
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


def module_lines(results):
    lines = ["| module | tables | flip-flops | multipliers | block RAMs | routed, MHz | seeds | "
             "estimated | error |", "|---|---|---|---|---|---|---|---|---|"]
    for name, one in results:
        routed = median(one)
        seeds = sorted(seed["fmax_mhz"] for seed in one["seeds"].values())
        used = next(iter(one["seeds"].values()))["used"]
        estimated = 1000 / one["estimated_ns"]
        spread = f"{seeds[0]:.0f} to {seeds[-1]:.0f}" if len(seeds) > 1 else ""
        lines.append(
            f"| {name} | {used['TRELLIS_COMB']:,} | {one['cells'].get('TRELLIS_FF', 0):,} | "
            f"{used['MULT18X18D']} | {used['DP16KD']} | {routed:.0f} | "
            f"{len(seeds)}{': ' + spread if spread else ''} | {estimated:.0f} | "
            f"{100 * error(one):+.0f}% |")
    return lines


def unrouted_lines(unrouted):
    if not unrouted:
        return []
    return ["Not routed, with hlsc's estimates in MHz:",
            ", ".join(f"{name} {1000 / ns:.0f}" for ns, name in unrouted) + ".", ""]


SHOWN_BELOW_MHZ = 105


def path_lines(results):
    lines = ["| module | ns | logic | levels | from | to | source |", "|---|---|---|---|---|---|---|"]
    for name, one in (named for named in results if median(named[1]) < SHOWN_BELOW_MHZ):
        path = max(one["seeds"].values(), key=lambda seed: seed["slowest_ns"])
        lines.append(f"| {name} | {path['slowest_ns']:.1f} | {path['logic_ns']:.1f} | "
                     f"{path['levels']} | `{path['from']}` | `{path['to']}` | "
                     f"{' '.join(source_lines(one, path))} |")
    return lines


def page(kept, tools, part, stages):
    areas = [(name, one) for name, one in kept.items() if name.startswith("area ")]
    boards = [one for name, one in kept.items() if name.startswith("board ")]
    modules = sorted(((name, one) for name, one in kept.items() if one.get("seeds")),
                     key=lambda named: median(named[1]))
    unrouted = sorted(((one["estimated_ns"], name) for name, one in kept.items()
                       if one.get("seeds") == {}), reverse=True)
    lines = ["# FPGA: routed figures", "",
             "<!-- Generated by scripts/fpga --record. Do not edit. -->", "",
             "Placed and routed with open tools, not measured on a board.", ""]
    if boards:
        lines += ["## A board", ""]
        for result in boards:
            lines += board_lines(result) + [""]
    if modules:
        within = sum(abs(error(one)) <= 0.15 for _, one in modules)
        commits = ", ".join(sorted({one["commit"] for _, one in modules}))
        dates = sorted(one["date"] for _, one in modules)
        lines += [
            "## Modules", "",
            f"The accelerator's modules and `whole`, all of it, with registers around, out of context on "
            f"{part}, compiled by",
            "`hlsc --target ecp5`. Routed is the median of the seeds, each of which is one placement; "
            "estimated is hlsc's",
            "([hlsc.md](hlsc.md)), with submodules. Tables are the router's slots, in which a carry "
            "bit has one;", "flip-flops are without the registers around. The multiply-add has "
            f"{stages} stages.", "",
            *module_lines(modules), "",
            f"Estimates within 15%: {within} of {len(modules)}. Routed from {dates[0]} to {dates[-1]}; the "
            f"text is that of commit {commits}.", "",
            *unrouted_lines(unrouted),
            *(line for name, one in areas for line in area_lines(name, one)),
            "## Slowest paths", "",
            f"Of the slowest seed of each module below {SHOWN_BELOW_MHZ} MHz. The source lines are those of hlsc's slowest path to the same "
            "register, where it is one", "of its twenty slowest.", "", *path_lines(modules), ""]
    lines += [f"Tools: {', '.join(tools)}; `synth_ecp5 -abc9`, for `whole` and a board with "
              f"`{fpga_route.DENSE}`.", "Yosys leaves multipliers' output registers unused; the script "
              "moves flip-flops that take a product alone there.", "",
              "    scripts/fpga --modules --seeds 3 --record", "    scripts/fpga --area --record",
              "    scripts/fpga --board ulx3s --record", ""]
    return "\n".join(lines)
