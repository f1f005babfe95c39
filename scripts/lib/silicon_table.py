"""The table of scripts/silicon."""

from silicon_units import UNITS

ELEMENTS = 16  # of the 4 x 4 array


def energy_record(energies, rows):
    """The means over a unit's netlists; each energy holds all windows."""
    first = energies[0]
    joules = [one.a_clock() for one in energies]
    clocks = sum(first.clocks)
    part = lambda name: sum(sum(getattr(one, name)) for one in energies) / clocks / len(energies)
    return {"joules_a_clock": sum(mean for mean, _ in joules) / len(joules),
            "confidence": sum(half for _, half in joules) / len(joules),
            "gates": part("gates"), "registers": part("registers"),
            "clock_pins": part("clock_pins"), "leakage_watts": first.leakage_watts,
            "toggles": sum(one.toggles for one in energies),
            "checked": sum(one.checked for one in energies),
            "clocks": clocks, "windows": len(first.clocks),
            "rows": sum(count for count, _ in rows),
            "busiest": busiest(energies, rows)}


def busiest(energies, rows):
    """Joules a clock in the windows in which a row entered in every clock, if there are any."""
    full = [i for i, (count, clocks) in enumerate(rows) if count == clocks]
    if not full:
        return None
    clocks = sum(energies[0].clocks[i] for i in full)
    return sum(one.total()[i] for one in energies for i in full) / clocks / len(energies)


def register_bits(n):
    """Registers of an array of n x n beside its elements: skew, control, deskew, tag, result."""
    stages = 5
    skew = 32 * stages * n * (n - 1) // 2
    control = 11 * stages * (n - 1)
    deskew = 32 * n * (n - 1) // 2
    return skew + control + deskew + 32 * n + 13 * (stages * n + n)


COMPOSED = ", composed"


def add_composed(record):
    """The array of 16, and that of 8 where it was mapped: elements, and the array of 4's other area by
    registers."""
    record["units"] = [one for one in record["units"] if not one["unit"].endswith(COMPOSED)]
    by_name = {(one["library"], one["unit"]): one for one in record["units"]}
    for (library, unit), array in by_name.items():
        element = by_name.get((library, "processing_element"))
        if unit != "array_4" or element is None:
            continue
        other = array["area"] - ELEMENTS * element["area"]
        for n in (8, 16):
            if n == 16 or (library, f"array_{n}") in by_name:
                record["units"].append({
                    "library": library, "volts": array["volts"], "unit": f"array_{n}{COMPOSED}",
                    "area": n * n * element["area"] + other * register_bits(n) / register_bits(4),
                    "cells": None, "flip_flops": None, "picoseconds": element["picoseconds"]})


def compositions(record):
    """What composing gives beside what was mapped, a sentence for each such array."""
    areas = {(one["library"], one["unit"]): one["area"] for one in record["units"]}
    return [f"Composed, {mapped[1]} on {library} has {area:,.0f} um2, {100 * (area / areas[mapped] - 1):+.1f}% "
            "of the mapped area."
            for (library, unit), area in areas.items()
            if (mapped := (library, unit.removesuffix(COMPOSED))) != (library, unit) and mapped in areas]


def place(one):
    """A unit's place in a table."""
    name = one["unit"].removesuffix(COMPOSED)
    return list(UNITS).index(name), name != one["unit"]


def picojoules(value):
    return "" if value is None else f"{1e12 * value:.3g}"


def markdown(record):
    head = ["library", "unit", "cells", "flip-flops", "area um2", "path ns", "pJ a clock", "+-",
            "gates", "registers", "clock pins", "pJ a busy clock", "leakage uW"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for one in record["units"]:
        energy = one.get("energy")
        path = f"{1e-3 * one['picoseconds']:.2f}" if one["picoseconds"] else ""
        words = [one["library"], one["unit"], one["cells"] or "", one["flip_flops"] or "",
                 f"{one['area']:,.0f}", path]
        words += [picojoules(energy[key]) for key in (
            "joules_a_clock", "confidence", "gates", "registers", "clock_pins", "busiest")
        ] if energy else [""] * 6
        words.append(f"{1e6 * energy['leakage_watts']:.3g}" if energy else "")
        lines.append("| " + " | ".join(str(word) for word in words) + " |")
    return "\n".join(lines) + "\n\n" + notes(record) + "\n"


def notes(record):
    """What holds for all units, and how composed arrays compare with mapped ones."""
    text = (f"{record['yosys']}. Path: ABC's, without wires, clock-to-q and setup. Energy: toggles "
            f"of a step of `{record['network']}`, batch {record['batch_size']}, windows "
            f"`{record['samples']}`; without glitches, wires and the clock's tree. Memories are "
            "left out.")
    return "\n\n".join([text, *compositions(record)])
