"""Energy of a mapped netlist from toggles: registers and inputs as a simulation of the RTL has them,
gates evaluated between them, every clock a bit of an integer."""

import math
import re
from dataclasses import dataclass


class GateError(Exception):
    """A netlist that cannot be evaluated, or that does not do what the simulation did."""


# ---- Liberty's functions as Python ----

WORD = re.compile(r"\s*([A-Za-z_][\w\[\]]*|[01]|[()!&|^*+'])")


def compile_function(text):
    """A function of (pin values by name, mask)."""
    words = WORD.findall(text)
    place = 0

    def peek():
        return words[place] if place < len(words) else None

    def take():
        nonlocal place
        place += 1
        return words[place - 1]

    def factor():
        word = take()
        if word == "!":
            inner = f"(M & ~{factor()})"
        elif word == "(":
            inner = choice()
            if take() != ")":
                raise GateError(f"function {text}: a parenthesis is missing")
        elif word in "01":
            inner = "M" if word == "1" else "0"
        else:
            inner = f"p[{word!r}]"
        while peek() == "'":
            take()
            inner = f"(M & ~{inner})"
        return inner

    # Liberty: negation binds first, then xor, then and (also by a space), then or.
    def exclusive():
        value = factor()
        while peek() == "^":
            take()
            value = f"({value} ^ {factor()})"
        return value

    def product():
        value = exclusive()
        while peek() is not None and peek() not in ")|+":
            if peek() in "&*":
                take()
            value = f"({value} & {exclusive()})"
        return value

    def choice():
        value = product()
        while peek() in ("|", "+"):
            take()
            value = f"({value} | {product()})"
        return value

    body = choice()
    if place != len(words):
        raise GateError(f"function {text}: cannot be read from '{words[place]}' on")
    return eval(f"lambda p, M: {body}")  # of words that were read above


# ---- A netlist with the trace's values ----


def names_of_bits(module):
    """Public names of each net bit: [(name, place in it)]."""
    names = {}
    for name, net in module["netnames"].items():
        if name.startswith("$"):
            continue
        low = net.get("offset", 0)
        for place, bit in enumerate(net["bits"]):
            names.setdefault(bit, []).append((name, place + low))
    return names


class States:
    """Finds the values of a netlist's sources in a trace, by name below a scope."""

    def __init__(self, trace, scope, renames=None):
        self.trace, self.scope = trace, scope
        self.rename = renames or (lambda name: name)

    def each(self, names):
        for name, place in names:
            found = self.rename(name)
            if found is None:
                continue
            if isinstance(found, list):  # values of its own
                yield found[place]
                continue
            full = f"{self.scope}.{found}"
            if full in self.trace.ids:
                yield self.trace.bits(full)[place]

    def find(self, names):
        return next(self.each(names), None)


@dataclass
class Energy:
    """Joules of each window, by part, and what they count."""
    clocks: list            # of each window: pairs of clocks
    gates: list
    registers: list
    clock_pins: list
    leakage_watts: float
    toggles: int
    nets: int
    checked: int            # registers' next values compared with the simulation's

    def total(self):
        return [sum(parts) for parts in zip(self.gates, self.registers, self.clock_pins)]

    def a_clock(self):
        """Mean joules a clock, and the half width of its 95% confidence interval by windows."""
        means = [joules / clocks for joules, clocks in zip(self.total(), self.clocks)]
        mean = sum(self.total()) / sum(self.clocks)
        if len(means) < 2:
            return mean, math.inf
        spread = sum((one - mean) ** 2 for one in means) / (len(means) - 1)
        return mean, 1.96 * math.sqrt(spread / len(means))


class Netlist:
    """A flat netlist of a library's cells. `generic` is the same before it was mapped: its
    flip-flops, of the same names, stand at named registers."""

    def __init__(self, netlist, generic, top, library, memories):
        self.module = netlist["modules"][top]
        self.library, self.memories = library, memories
        self.functions = {}
        self.sinks, self.driver = {}, {}
        self.flops, self.gates, self.blackboxes = [], [], []
        before = generic["modules"][top]
        names = names_of_bits(before)
        self.register_names = {
            name: names.get(cell["connections"]["Q"][0], [])
            for name, cell in before["cells"].items() if cell["type"].startswith("$_DFF")}
        for name, cell in self.module["cells"].items():
            self._add(name, cell)

    def _add(self, name, cell):
        kind = self.library.cells.get(cell["type"])
        if kind is None:
            if cell["type"] not in self.memories:
                raise GateError(f"{cell['type']}: neither a cell of the library nor a memory")
            self.blackboxes.append(cell)
            return
        for pin_name, bits in cell["connections"].items():
            pin = kind.pins.get(pin_name)
            if pin is None:
                continue
            if pin.direction == "input":
                self.sinks.setdefault(bits[0], []).append((kind, pin))
            elif pin.function:
                self.driver[bits[0]] = (name, cell, kind, pin)
        (self.flops if kind.state else self.gates).append((name, cell, kind))

    def _function(self, text):
        if text not in self.functions:
            self.functions[text] = compile_function(text)
        return self.functions[text]

    def evaluate(self, states):
        """Values of all nets, and how many registers' next values were compared.

        Yosys makes one of two equal registers. Before they are first written they differ in the
        simulation, where each begins at a value of its own. So the netlist is evaluated with each
        of a register's values, and the simulation's next value is one that follows from one of them."""
        trace = states.trace
        mask = (1 << trace.samples) - 1
        registers, missing = {}, []
        for name, _, _ in self.flops:
            registers[name] = list(dict.fromkeys(states.each(self.register_names.get(name, []))))
            if not registers[name]:
                missing.append(self.register_names.get(name) or name)
        sources = self._sources(states, missing)
        self.clocks = {bits[0] for _, cell, kind in self.flops
                       for pin, bits in cell["connections"].items()
                       if kind.pins.get(pin) and kind.pins[pin].is_clock or
                       pin == kind.state["clocked_on"]}
        missing = [one for one in missing
                   if not (isinstance(one, list) and any(n == "clk_i" for n, _ in one))]
        if missing:
            raise GateError(f"{len(missing)} registers or inputs are not in the trace, such as "
                            f"{missing[0]}")
        ways = max((len(each) for each in registers.values()), default=1)
        first, wrong = None, {}
        for way in range(ways):
            inside = {name: each[min(way, len(each) - 1)] for name, each in registers.items()}
            values = self._values(inside, sources, mask)
            first = first or values
            self._compare(values, registers, mask, wrong)
        return first, self._check(wrong, trace)

    def _sources(self, states, missing):
        """Values of inputs and of what memories give."""
        values, names = {}, names_of_bits(self.module)
        driven = {bits[0] for _, cell, kind in self.flops for pin, bits in cell["connections"].items()
                  if kind.pins.get(pin) and kind.pins[pin].function}
        sources = [bit for cell in self.blackboxes for pin, bits in cell["connections"].items()
                   if cell["port_directions"][pin] == "output" for bit in bits]
        for port in self.module["ports"].values():
            if port["direction"] == "input":
                sources += port["bits"]
        for bit in sources:
            if bit in values or bit in driven or bit in ("0", "1", "x", "z") or bit not in self.sinks:
                continue
            state = states.find(names.get(bit, []))
            if state is None:
                missing.append(names.get(bit) or bit)
            else:
                values[bit] = state
        return values

    def _state(self, kind, pins, register, mask):
        """What a cell holds: it may hold its data inverted, as next_state says."""
        return self._function(kind.state["next_state"])({pin: register for pin in pins}, mask)

    def _values(self, registers, sources, mask):
        values = {"0": 0, "1": mask, "x": 0, "z": 0, **sources}
        for name, cell, kind in self.flops:
            state = self._state(kind, cell["connections"], registers[name], mask)
            first, second = kind.state["variables"]
            known = {first: state, second: mask & ~state}
            for pin_name, bits in cell["connections"].items():
                pin = kind.pins.get(pin_name)
                if pin and pin.function:
                    values[bits[0]] = self._function(pin.function)(known, mask)
        for clock in self.clocks:
            values.setdefault(clock, 0)
        self._settle(values, mask)
        return values

    def _settle(self, values, mask):
        """Evaluates gates, each after those that it reads."""
        waiting, readers, ready = {}, {}, []
        for gate in self.gates:
            name, cell, kind = gate
            needs = {bits[0] for pin, bits in cell["connections"].items()
                     if kind.pins.get(pin) and kind.pins[pin].direction == "input"
                     and bits[0] not in values}
            waiting[name] = len(needs)
            for bit in needs:
                readers.setdefault(bit, []).append(gate)
            if not needs:
                ready.append(gate)
        done = 0
        while ready:
            name, cell, kind = ready.pop()
            done += 1
            pins = {pin: values[bits[0]] for pin, bits in cell["connections"].items()
                    if kind.pins.get(pin) and kind.pins[pin].direction == "input"}
            for pin_name, bits in cell["connections"].items():
                pin = kind.pins.get(pin_name)
                if pin is None or pin.direction == "input" or not pin.function or not bits:
                    continue
                values[bits[0]] = self._function(pin.function)(pins, mask)
                for gate in readers.pop(bits[0], []):
                    waiting[gate[0]] -= 1
                    if waiting[gate[0]] == 0:
                        ready.append(gate)
        if done != len(self.gates):
            stuck = next(name for name, count in waiting.items() if count)
            raise GateError(f"{len(self.gates) - done} gates read nets that nothing drives, such "
                            f"as {stuck}")

    def _compare(self, values, registers, mask, wrong):
        """Keeps the samples after which a register's next value, by its name and value, is not that
        of the simulation in this evaluation and those before."""
        for name, cell, kind in self.flops:
            pins = {pin: values[bits[0]] for pin, bits in cell["connections"].items()
                    if kind.pins.get(pin) and kind.pins[pin].direction == "input"}
            after = self._function(kind.state["next_state"])(pins, mask)
            for register in registers[name]:
                state = self._state(kind, cell["connections"], register, mask)
                differs = after ^ state >> 1
                wrong[name, register] = wrong.get((name, register), mask) & differs

    def _check(self, wrong, trace):
        pairs = pairs_of(trace)
        for (name, _), samples in wrong.items():
            samples &= pairs
            if samples:
                sample = (samples & -samples).bit_length() - 1
                raise GateError(f"register {self.register_names.get(name) or name} of the netlist "
                                f"differs from the simulation after clock {trace.clocks[sample]}")
        return len(self.flops) * pairs.bit_count()

    def energy(self, states):
        values, checked = self.evaluate(states)
        trace, library = states.trace, self.library
        windows = [(first, last) for first, last in trace.windows if last > first]
        masks = [(1 << last) - (1 << first) for first, last in windows]
        clocks = [last - first for first, last in windows]
        half = 0.5 * library.volts ** 2 * library.farads
        gates, registers = [0.0] * len(windows), [0.0] * len(windows)
        toggles = nets = 0
        flop_names = {name for name, _, _ in self.flops}
        for bit, (name, cell, kind, pin) in self.driver.items():
            changes = values[bit] ^ values[bit] >> 1
            load = sum(sink.capacitance for _, sink in self.sinks.get(bit, []))
            each = half * load + library.joules * pin.energy(load)
            nets += 1
            into = registers if name in flop_names else gates
            for i, mask in enumerate(masks):
                count = (changes & mask).bit_count()
                toggles += count
                into[i] += count * each
        # What inputs use inside of their cells; clocks apart.
        for bit, sinks in self.sinks.items():
            if bit in self.clocks:
                continue
            own = library.joules * sum(sink.energy(0) for _, sink in sinks)
            if bit not in self.driver:
                own += half * sum(sink.capacitance for _, sink in sinks)
            if own == 0:
                continue
            changes = values.get(bit, 0) ^ values.get(bit, 0) >> 1
            for i, mask in enumerate(masks):
                gates[i] += (changes & mask).bit_count() * own
        a_clock = sum(2 * (half * sink.capacitance + library.joules * sink.energy(0))
                      for bit in self.clocks for _, sink in self.sinks.get(bit, []))
        leakage = sum(kind.leakage_watts for _, _, kind in self.flops + self.gates)
        return Energy(clocks, gates, registers, [count * a_clock for count in clocks], leakage,
                      toggles, nets, checked)


def pairs_of(trace):
    """A bit for each sample that is followed by the sample of the next clock."""
    return sum((1 << last) - (1 << first) for first, last in trace.windows if last > first)
