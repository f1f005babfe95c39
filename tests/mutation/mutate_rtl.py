#!/usr/bin/env python3
"""Puts every mutant of generated SystemVerilog into one text: the input mutant_i chooses which.

  mutate_rtl.py --output all.sv --list mutants.txt MODULE.sv...
  mutate_rtl.py --output one.sv --only 17 MODULE.sv...             mutant 17 alone, no mutant_i

Mutant 0 is the module as it was. Each other one has one fault in one expression: another operator,
a constant off by one, an inverted condition, swapped arms, a slice moved by a bit, a register that
is not written, a bit that is stuck. The list names them: number, module, statement, fault.
Exit codes: 0 done, 1 a statement cannot be read, 2 wrong usage.
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from sv_expression import mutants, parse, text_of, value_of

DECLARATION = re.compile(r"(?:input|output)?\s*logic\s*(?:\[(\d+):0\])?\s*(\w[\w\[\], ]*)[;,]?$")
DECLARED = re.compile(r"(\w+)(?: \[(\d+)\])?")
NET = r"wire (?:\[\d+:0\] )?"
STATEMENT = re.compile(rf"(assign\s+|{NET})?(\w+(?:\[[^\]]*\])*)\s*(<=|=)\s*(.+);$", re.S)
ZEROS = re.compile(r"\{([\w, ]+)\} <= \d+'d0;$")
CONDITION = re.compile(r"((?:\} |end )?(?:else )?if \()(.*)(\)(?: begin)?(?: .*)?)$", re.S)
LABEL = re.compile(r"(?:(?:\d+'\w+|[A-Z]\w*)(?:, (?:\d+'\w+|[A-Z]\w*))*|default): ?(?=begin$|;$|if \(|\w+(?:\[|\s*<?=))")
CONNECTION = re.compile(r"\.(\w+)_i\((.*)\)(,?)$", re.S)


class Module:
    """One module's text, rewritten line by line."""

    def __init__(self, text, first, only=None):
        self.text = text
        self.next = first
        self.only = only
        self.faults = []
        self.shapes = {}
        self.locals = set()
        self.name = re.search(r"^module (\w+)", text, re.M).group(1)

    def rewrite(self):
        lines = []
        statement = ""
        in_cell = False
        for line in self.text.splitlines():
            line = re.sub(r"\s*//.*$", "", line).rstrip()
            if not line or line.strip().startswith("/*"):
                continue
            statement = (statement + " " + line.strip()).strip() if statement else line
            if not self.is_whole(statement):
                continue
            if re.match(r"\s*systole_(ram|fifo|register_slice)\b", statement):
                in_cell = True
            margin = statement[:len(statement) - len(statement.lstrip())]
            for one in re.split(r"(?<=,) (?=\.\w+\()", statement.strip()):  # connections of ports
                lines += self.one(margin + one, in_cell)
            in_cell = in_cell and not statement.strip().startswith(");")
            statement = ""
        return "\n".join(lines) + "\n"

    @staticmethod
    def is_whole(line):
        """A statement goes on while brackets are open or nothing ends it."""
        text = LABEL.sub("", line.strip(), count=1)
        if re.match(r"(module|systole_\w+|\);|end(?! else if)|begin|else|for|case|always|input|output|logic)",
                    text):
            return True
        if re.match(rf"(assign |{NET})?\w+(\[[^]]*\])* <?= ", text) and not text.endswith(";"):
            return False
        return text.count("(") == text.count(")") and text.count("{") == text.count("}") and bool(
            re.search(r"(;|begin|,|\)|: \w+)$", text))

    def one(self, line, in_cell):
        text = line.strip()
        margin = line[:len(line) - len(line.lstrip())]
        label = LABEL.match(text)
        if label:
            return [margin + label.group(0) + one.strip() for one in
                    self.one(margin + text[label.end():], in_cell)] if label.end() < len(text) else [line]
        if self.only is not None and (text.startswith("module ") or text.startswith(".clk_i")):
            return [line]
        if text.startswith("module "):
            return [line, margin + "  input logic [15:0] mutant_i,"]
        if text in (".clk_i(clk_i),", ".clk_i(clk_i)"):
            return [line] if in_cell else [f"{margin}.mutant_i(mutant_i),", line]
        declared = DECLARATION.match(text)
        if declared:
            high, names = declared.groups()
            for name, elements in DECLARED.findall(names):
                self.shapes[name] = (int(elements or 1), int(high or 0) + 1)
                if len(margin) >= 4:
                    self.locals.add(name)
            return [line]
        connected = CONNECTION.match(text)
        if connected and connected.group(1) not in ("clk", "rst_n"):
            name, value, comma = connected.groups()
            return [f"{margin}.{name}_i({self.choose(text, value, '', 0)}){comma}"]
        cleared = ZEROS.match(text)
        if cleared:
            return [line for name in cleared.group(1).split(", ")
                    for line in self.one(f"{margin}{name} <= {self.width(name)}'d0;", in_cell)]
        condition = CONDITION.match(text)
        if condition and not text.endswith(";"):
            return [margin + condition.group(1) + self.choose(text, condition.group(2), "", 1) +
                    condition.group(3)]
        if text.startswith("if (") and text.endswith(";"):
            end = self.closing(text, len("if "))
            rest = text[end + 1:].strip()
            if not STATEMENT.match(rest) and not ZEROS.match(rest):
                return [line]
            condition = self.choose(text, text[len("if ("):end], "", 1)
            if ZEROS.match(rest):
                return [f"{margin}if ({condition}) begin", *self.one(f"{margin}  {rest}", in_cell),
                        f"{margin}end"]
            return [f"{margin}if ({condition}) {self.one(rest, in_cell)[0]}"]
        assigned = STATEMENT.match(text)
        if not assigned or text.startswith(("for", "logic")) or text.count(";") > 1:
            return [line]
        assign, target, sign, value = assigned.groups()
        if assign and assign.startswith("wire"):
            high = re.search(r"\[(\d+):0\]", assign)
            self.shapes[target] = (1, int(high.group(1)) + 1 if high else 1)
        if target.strip() in self.locals and re.fullmatch(r"\d+'d0", value):
            return [line]  # the start value of a local
        return [f"{margin}{assign or ''}{target} {sign} "
                f"{self.choose(text, value, '' if assign else target.strip(), self.width(target))};"]

    @staticmethod
    def closing(text, start):
        """The place of the bracket that closes the one at `start`."""
        depth = 0
        for at in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if depth == 0:
                return at
        raise SystemExit(f"mutate_rtl: no bracket closes {text}")

    def width(self, target):
        element = re.search(r"\+: (\d+)(?:\*(\d+))?\]$", target.strip())
        if element:
            return int(element.group(1)) * int(element.group(2) or 1)
        part = re.search(r"\[(\d+):(\d+)\]$", target.strip())
        if part:
            return int(part.group(1)) - int(part.group(2)) + 1
        elements, width = self.shapes.get(re.match(r"\w+", target.strip()).group(0), (1, 0))
        indexed = "[" in target
        return 1 if indexed and elements == 1 else width

    def choose(self, statement, value, target, width):
        """The expression and all its mutants; target is what it is written to, "" for a wire."""
        try:
            tree = parse(value)
        except ValueError as error:
            raise SystemExit(f"mutate_rtl: {self.name}: {statement}: {error}")
        original = text_of(tree)
        found = {}
        for what, changed in mutants(tree, self.shapes):
            found.setdefault(text_of(changed), what)
        if target and re.match(r"\w+_[qo]\b", target):
            found.setdefault(target, "is not written")
        for bit in sorted({0, width // 2, width - 1}) if width else []:
            mask = f"{width}'h{1 << bit:x}"
            is_set = value_of(tree) >> bit & 1 if tree[0] == "number" else None
            if is_set != 1:
                found.setdefault(f"({original} | {mask})", f"bit {bit} stuck at 1")
            if is_set != 0:
                found.setdefault(f"({original} & ~{mask})", f"bit {bit} stuck at 0")
        found.pop(original, None)
        first = self.next
        chain = original
        chosen = original
        for text, what in found.items():
            self.faults.append((self.next, self.name, " ".join(statement.split()), what))
            chain = f"(mutant_i == 16'd{self.next}) ? {text} : {chain}"
            if self.next == self.only:
                chosen = text
            self.next += 1
        if self.only is not None or self.next == first:
            return chosen
        return (f"(mutant_i < 16'd{first} || mutant_i > 16'd{self.next - 1}) ? {original} : "
                f"({chain})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True)
    parser.add_argument("--list")
    parser.add_argument("--only", type=int, metavar="MUTANT")
    parser.add_argument("modules", nargs="+")
    words = parser.parse_args()
    following = 1
    texts = []
    faults = []
    for file in words.modules:
        module = Module(Path(file).read_text(), following, words.only)
        texts.append(module.rewrite())
        faults += module.faults
        following = module.next
    Path(words.output).write_text("\n".join(texts))
    if words.list:
        Path(words.list).write_text("".join("\t".join(map(str, fault)) + "\n" for fault in faults))


if __name__ == "__main__":
    main()
