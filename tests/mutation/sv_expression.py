"""Reads and writes the expressions of generated SystemVerilog, and makes their mutants.

A tree is a tuple: ("binary", sign, a, b), ("unary", sign, a), ("choice", c, a, b), ("number", text),
("name", text), ("index", base, i), ("range", base, high, low), ("part", base, low, width),
("join", parts), ("repeat", n, a),
("cast", width, a), ("call", name, a).
"""

import re

TOKEN = re.compile(
    r"\s*(\d+'\(|\d+'s?[dhb][0-9a-fA-F]+|\d+|\$?[A-Za-z_][A-Za-z0-9_.]*|>>>|<<|>>|<=|>=|==|!=|&&|\|\||"
    r"\+:|[-+*/&|^~!?:<>(){}\[\],])")
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="],
          ["<<", ">>", ">>>"], ["+", "-"], ["*", "/"]]
SWAPS = {"+": ["-"], "-": ["+"], "*": ["+"], "&&": ["||"], "||": ["&&"], "&": ["|"], "|": ["&"],
         "^": ["|"], "==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"],
         ">": [">=", "<="], ">=": [">", "<"], "<<": [">>"], ">>": ["<<"], ">>>": [">>"]}


class Parser:
    def __init__(self, text):
        self.tokens = []
        at = 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"cannot read {text[at:at + 20]!r}")
            self.tokens.append(match.group(1))
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted and token != wanted:
            raise ValueError(f"wanted {wanted!r}, found {token!r}")
        self.at += 1
        return token

    def whole(self):
        tree = self.choice()
        if self.peek():
            raise ValueError(f"cannot read from {self.peek()!r}")
        return tree

    def choice(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        first = self.choice()
        self.take(":")
        return ("choice", condition, first, self.choice())

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            sign = self.take()
            left = ("binary", sign, left, self.binary(level + 1))
        return left

    def unary(self):
        if self.peek() in ("!", "~", "-", "^"):
            sign = self.take()
            return ("unary", sign, self.unary())
        return self.postfix(self.primary())

    def postfix(self, base):
        while self.peek() == "[":
            self.take()
            high = self.choice()
            if self.peek() == ":":
                self.take()
                base = ("range", base, high, self.choice())
            elif self.peek() == "+:":
                self.take()
                base = ("part", base, high, self.choice())
            else:
                base = ("index", base, high)
            self.take("]")
        return base

    def primary(self):
        token = self.take()
        if token == "(":
            inside = self.choice()
            self.take(")")
            return inside
        if token == "{":
            first = self.choice()
            if self.peek() == "{":
                self.take()
                repeated = ("repeat", first, self.choice())
                self.take("}")
                self.take("}")
                return repeated
            parts = [first]
            while self.peek() == ",":
                self.take()
                parts.append(self.choice())
            self.take("}")
            return ("join", parts)
        if token.endswith("'("):
            inside = self.choice()
            self.take(")")
            return ("cast", token[:-2], inside)
        if token[0].isdigit():
            return ("number", token)
        if self.peek() == "(":
            self.take()
            inside = self.choice()
            self.take(")")
            return ("call", token, inside)
        return ("name", token)


def parse(text):
    return Parser(text).whole()


def text_of(tree):
    kind = tree[0]
    if kind == "binary":
        return f"({text_of(tree[2])} {tree[1]} {text_of(tree[3])})"
    if kind == "unary":
        # Yosys 0.23 takes the sign for a part of a cast's width.
        of = f"({text_of(tree[2])})" if tree[2][0] == "cast" else text_of(tree[2])
        return f"({tree[1]}{of})"
    if kind == "choice":
        return f"({text_of(tree[1])} ? {text_of(tree[2])} : {text_of(tree[3])})"
    if kind in ("number", "name"):
        return tree[1]
    if kind == "index":
        return f"{text_of(tree[1])}[{text_of(tree[2])}]"
    if kind == "range":
        return f"{text_of(tree[1])}[{text_of(tree[2])}:{text_of(tree[3])}]"
    if kind == "part":
        return f"{text_of(tree[1])}[{text_of(tree[2])} +: {text_of(tree[3])}]"
    if kind == "join":
        return "{" + ", ".join(text_of(part) for part in tree[1]) + "}"
    if kind == "repeat":
        return f"{{{text_of(tree[1])}{{{text_of(tree[2])}}}}}"
    if kind == "cast":
        return f"{tree[1]}'({text_of(tree[2])})"
    return f"{tree[1]}({text_of(tree[2])})"


NUMBER = re.compile(r"(?:(\d+)'s?([dhb]))?([0-9a-fA-F]+)$")


def value_of(tree):
    _, base, digits = NUMBER.match(tree[1]).groups()
    return int(digits, {"d": 10, None: 10, "h": 16, "b": 2}[base])


def constant(tree):
    """The value of a place like 2*8 + 4; None where a name is in it."""
    if tree[0] == "number":
        return value_of(tree)
    if tree[0] != "binary" or tree[1] not in "+*":
        return None
    left, right = constant(tree[2]), constant(tree[3])
    if left is None or right is None:
        return None
    return left + right if tree[1] == "+" else left * right


def number_off_by(tree, step):
    width = int(NUMBER.match(tree[1]).group(1))
    return ("number", f"{width}'h{(value_of(tree) + step) % (1 << width):x}")


def mutants(tree, shapes):
    """(what, tree) for every fault that one node of the tree can have. `shapes` says of each name
    how many elements it has (1 where it is no array) and how wide one is."""
    kind = tree[0]
    if kind == "binary":
        for sign in SWAPS[tree[1]]:
            yield f"{tree[1]} becomes {sign}", ("binary", sign, tree[2], tree[3])
    elif kind == "unary":
        yield f"{tree[1]} is lost", tree[2]
    elif kind == "choice":
        yield "arms change places", ("choice", tree[1], tree[3], tree[2])
        yield "always the first arm", tree[2]
        yield "always the second arm", tree[3]
    elif kind == "number" and "'" in tree[1]:
        yield f"{tree[1]} plus one", number_off_by(tree, 1)
        if not tree[1].startswith("1'"):
            yield f"{tree[1]} minus one", number_off_by(tree, -1)
    elif kind == "range":
        high, low = int(tree[2][1]), int(tree[3][1])
        width = shapes.get(root_of(tree), (1, 0))[1]
        for step in (-1, 1):
            if low + step >= 0 and high + step < width:
                yield f"[{high}:{low}] moves by {step}", (
                    "range", tree[1], ("number", str(high + step)), ("number", str(low + step)))
    elif kind == "part" and constant(tree[2]) is not None:
        low, bits = constant(tree[2]), constant(tree[3])
        width = shapes.get(root_of(tree), (1, 0))[1]
        for step in (-1, 1):
            if low + step >= 0 and low + bits + step <= width:
                yield f"[{low} +: {bits}] moves by {step}", (
                    "part", tree[1], ("number", str(low + step)), ("number", str(bits)))
    elif kind == "index" and constant(tree[2]) is not None:
        at = constant(tree[2])
        elements, width = shapes.get(root_of(tree), (1, 0))
        is_element = tree[1][0] == "name" and elements > 1
        for step in (-1, 1):
            if 0 <= at + step < (elements if is_element else width):
                yield f"[{at}] becomes [{at + step}]", ("index", tree[1], ("number", str(at + step)))
    for place, part in children(tree):
        for what, changed in mutants(part, shapes):
            yield what, with_child(tree, place, changed)


def root_of(tree):
    while tree[0] in ("index", "range", "part"):
        tree = tree[1]
    return tree[1] if tree[0] == "name" else ""


def children(tree):
    kind = tree[0]
    if kind == "binary":
        return [(2, tree[2]), (3, tree[3])]
    if kind == "choice":
        return [(1, tree[1]), (2, tree[2]), (3, tree[3])]
    if kind == "join":
        return [((1, i), part) for i, part in enumerate(tree[1])]
    if kind in ("unary", "repeat", "cast", "call"):
        return [(2, tree[2])]
    if kind in ("index", "range", "part"):
        return [(1, tree[1])] if tree[1][0] != "name" else []
    return []


def with_child(tree, place, changed):
    if isinstance(place, tuple):
        parts = list(tree[1])
        parts[place[1]] = changed
        return ("join", parts)
    return tree[:place] + (changed,) + tree[place + 1:]
