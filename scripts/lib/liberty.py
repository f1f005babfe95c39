"""Reads what area, function and energy of cells follow from out of Liberty files."""

import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}():;,])|([^\s{}():;,"\\]+)|\\\s*\n', re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class LibertyError(Exception):
    """A file is no Liberty library, or lacks what is needed."""


@dataclass
class Group:
    """name(arguments) { attributes, groups }"""
    name: str
    arguments: list
    attributes: dict = field(default_factory=dict)  # the last of each name
    groups: list = field(default_factory=list)

    def all(self, name):
        return [group for group in self.groups if group.name == name]

    def number(self, name, default=None):
        value = self.attributes.get(name)
        return default if value is None else float(value[0])

    def text(self, name, default=None):
        value = self.attributes.get(name)
        return default if value is None else value[0]


def parse(text, where="the library"):
    """The one top group of a Liberty text."""
    words = [a if b == c == "" else b or c
             for a, b, c in TOKEN.findall(COMMENT.sub(" ", text)) if a or b or c]
    position = 0
    stack, top = [], None
    while position < len(words):
        word = words[position]
        if word == "}":
            if not stack:
                raise LibertyError(f"{where}: a brace closes nothing")
            group = stack.pop()
            if stack:
                stack[-1].groups.append(group)
            else:
                top = group
            position += 1
        elif word in (";", ","):
            position += 1
        elif position + 1 < len(words) and words[position + 1] == "(":
            end = position + 2
            arguments = []
            while words[end] != ")":
                if words[end] != ",":
                    arguments.append(words[end])
                end += 1
            if end + 1 < len(words) and words[end + 1] == "{":
                stack.append(Group(word, arguments))
                position = end + 2
            else:
                if stack:
                    stack[-1].attributes[word] = arguments or [""]
                position = end + 1
        elif position + 1 < len(words) and words[position + 1] == ":":
            values = []
            position += 2
            while position < len(words) and words[position] not in (";", "}") and (
                    not values or words[position + 1:position + 2] not in ([":"], ["("])):
                values.append(words[position])
                position += 1
            if stack:
                stack[-1].attributes[word] = [" ".join(values)]
        else:
            position += 1
    if top is None or stack or top.name != "library":
        raise LibertyError(f"{where}: not a Liberty library")
    return top


def numbers(values):
    return [float(one) for value in values for one in value.replace(",", " ").split()]


@dataclass
class Table:
    """An energy by input slew and load: its middle row, by load."""
    loads: list
    values: list

    def at(self, load):
        """Linear between its points, constant outside."""
        loads, values = self.loads, self.values
        if len(values) == 1 or not loads or load <= loads[0]:
            return values[0]
        for i in range(1, len(loads)):
            if load <= loads[i]:
                part = (load - loads[i - 1]) / (loads[i] - loads[i - 1])
                return values[i - 1] + part * (values[i] - values[i - 1])
        return values[-1]


@dataclass
class Pin:
    direction: str
    capacitance: float = 0.0
    function: str = None
    is_clock: bool = False
    # Energies of one transition, in capacitance x V^2: of an output by load; of an input alone.
    tables: list = field(default_factory=list)

    def energy(self, load):
        """Mean over the arcs and both edges."""
        return sum(table.at(load) for table in self.tables) / len(self.tables) if self.tables else 0


@dataclass
class Cell:
    name: str
    area: float
    leakage_watts: float
    pins: dict
    state: dict = None  # of a flip-flop: variables, clocked_on, next_state


@dataclass
class Library:
    name: str
    volts: float
    farads: float  # of a unit of capacitance
    cells: dict

    @property
    def joules(self):
        """Of a unit of the power tables: capacitance x V^2, as OpenSTA takes them."""
        return self.farads


def templates(top):
    found = {}
    for group in top.groups:
        if group.name in ("power_lut_template", "lu_table_template"):
            found[group.arguments[0]] = group
    return found


def read_table(group, known):
    template = known.get(group.arguments[0]) if group.arguments else None
    axes = {}
    for place in ("1", "2"):
        index = group.attributes.get(f"index_{place}") or (
            template.attributes.get(f"index_{place}") if template else None)
        variable = template.text(f"variable_{place}") if template else None
        axes[place] = (variable, numbers(index) if index else [])
    values = numbers(group.attributes.get("values", ["0"]))
    (first, rows), (second, columns) = axes["1"], axes["2"]
    if not columns:
        is_load = first is not None and "capacitance" in first
        return Table(rows if is_load else [], values if is_load else [values[len(values) // 2]])
    table = [values[i * len(columns):(i + 1) * len(columns)] for i in range(len(rows))]
    if first is not None and "capacitance" in first:  # rows are loads
        return Table(rows, [row[len(columns) // 2] for row in table])
    return Table(columns, table[len(rows) // 2])


def read_pin(group, known):
    pin = Pin(group.text("direction", "input"), group.number("capacitance", 0.0),
              group.text("function"), group.text("clock", "false") == "true")
    for power in group.all("internal_power"):
        for edge in ("rise_power", "fall_power", "power"):
            pin.tables += [read_table(one, known) for one in power.all(edge)]
    return pin


def read_cell(group, known, watts):
    pins = {}
    for pin in group.all("pin"):
        for name in pin.arguments:
            pins[name] = read_pin(pin, known)
    state = None
    for flop in group.all("ff"):
        state = {"variables": flop.arguments, "clocked_on": flop.text("clocked_on"),
                 "next_state": flop.text("next_state")}
    leakage = group.number("cell_leakage_power")
    if leakage is None:
        parts = [one.number("value", 0.0) for one in group.all("leakage_power")]
        leakage = sum(parts) / len(parts) if parts else 0.0
    return Cell(group.arguments[0], group.number("area", 0.0), leakage * watts, pins, state)


PREFIX = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0}


def unit(text, letter):
    match = re.fullmatch(rf"\s*([\d.]+)\s*([fpnum]?){letter}\s*", text or "", re.I)
    if not match:
        raise LibertyError(f"unit '{text}' is not one of {letter}")
    return float(match[1]) * PREFIX[match[2].lower()]


def read(text, where="the library"):
    top = parse(text, where)
    known = templates(top)
    capacitance = top.attributes.get("capacitive_load_unit", ["1", "pf"])
    farads = unit("".join(capacitance), "F")
    watts = unit(top.text("leakage_power_unit", "1nW"), "W")
    cells = {}
    for group in top.all("cell"):
        cells[group.arguments[0]] = read_cell(group, known, watts)
    if not cells:
        raise LibertyError(f"{where}: no cells")
    volts = top.number("nom_voltage")
    if volts is None:
        raise LibertyError(f"{where}: no nom_voltage")
    return Library(top.arguments[0] if top.arguments else "library", volts, farads, cells)


def read_text(file):
    """Of a file as it is or packed by gzip."""
    data = file.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode(errors="replace")


def joined(files):
    """The text of one library that is given in several files: the first, with the others' cells."""
    texts = [COMMENT.sub(" ", read_text(Path(file))) for file in files]
    more = "".join(cell_groups(text) for text in texts[1:])
    end = texts[0].rindex("}")
    return texts[0][:end] + more + texts[0][end:]


def cell_groups(text):
    """The groups of cells and of tables' templates of a library, as text."""
    found = []
    for match in re.finditer(r"^\s*(?:cell|power_lut_template|lu_table_template)\s*\(", text, re.M):
        depth, place = 0, text.index("{", match.end())
        for place in range(place, len(text)):
            if text[place] == "{":
                depth += 1
            elif text[place] == "}":
                depth -= 1
                if depth == 0:
                    break
        found.append(text[match.start():place + 1])
    return "\n".join(found) + "\n"
