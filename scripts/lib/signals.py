"""Values of a trace's signals in sampled clocks, a bit of an integer for each clock."""

import re


class SignalError(Exception):
    """A trace that is not as a simulation writes it."""


HEAD = re.compile(r"\$(scope\s+\S+\s+(\S+)|upscope|var\s+\S+\s+(\d+)\s+(\S+)\s+(\S+)[^$]*|"
                  r"enddefinitions|\w+[^$]*?)\s*\$end", re.S)


class Trace:
    """A VCD text of whole clocks: registers change at even times, inputs at the odd ones after.

    samples is the number of clocks, windows their (first, last) in runs of consecutive clocks.
    bits(name) has bit i of the signal in sample s at bits(name)[i] >> s & 1.
    """

    def __init__(self, text):
        self.text = text
        self.ids, self.widths = {}, {}
        scopes, end = [], 0
        for match in HEAD.finditer(text):
            end = match.end()
            if match[1].startswith("scope"):
                scopes.append(match[2])
            elif match[1].startswith("upscope"):
                scopes.pop()
            elif match[3]:
                self.ids[".".join([*scopes, match[5]])] = match[4]
                self.widths[match[4]] = int(match[3])
            elif match[1].startswith("enddefinitions"):
                break
        else:
            raise SignalError("no $enddefinitions: not a VCD")
        self._read(text[end:])
        self._columns = {}

    def _read(self, text):
        changes = {one: [] for one in self.widths}
        clocks, now = [], None
        for line in text.splitlines():
            if not line or line[0] == "$":
                continue
            if line[0] == "#":
                now = int(line[1:])
                if now % 2 == 1:
                    clocks.append((now - 1) // 2)
                continue
            if now is None:
                continue
            # What changes at time 2 c or 2 c + 1 holds in clock c's sample.
            sample = len(clocks) - (now % 2)
            if line[0] in "bB":
                value, one = line[1:].split()
            else:
                value, one = line[0], line[1:]
            if one in changes:
                changes[one].append((sample, value))
        self.clocks, self._changes = clocks, changes
        self.samples = len(clocks)
        self.windows = []
        for i, clock in enumerate(clocks):
            if i == 0 or clock != clocks[i - 1] + 1:
                self.windows.append([i, i])
            self.windows[-1][1] = i

    def names(self):
        return self.ids.keys()

    def bits(self, name):
        one = self.ids[name]
        if one not in self._columns:
            self._columns[one] = self._transpose(one)
        return self._columns[one]

    def _transpose(self, one):
        width = self.widths[one]
        rows, value, place = [], "0" * width, 0
        changes = self._changes[one]
        for sample in range(self.samples):
            while place < len(changes) and changes[place][0] <= sample:
                text = changes[place][1].lower().replace("x", "0").replace("z", "0")
                value = text.rjust(width, "0")[-width:]
                place += 1
            rows.append(value)
        # The last sample is the highest bit.
        columns = ["".join(column) for column in zip(*reversed(rows))]
        return [int(column, 2) for column in reversed(columns)]
