"""Multipliers' own output registers in a netlist of Yosys, which leaves them unused."""

CLOCK = {"REG_OUTPUT_CLK": "CLK0", "REG_OUTPUT_CE": "CE0", "REG_OUTPUT_RST": "RST0"}


def users_of(module):
    """{net: the (cell name, port) that it goes to or comes from}, with None for a port of the module."""
    users = {}
    for name, cell in module["cells"].items():
        for port, nets in cell["connections"].items():
            for net in nets:
                users.setdefault(net, []).append((name, port))
    for port in module["ports"].values():
        for net in port["bits"]:
            users.setdefault(net, []).append(None)
    return users


def is_plain(cell):
    """A flip-flop on the clock's rising edge that nothing holds or resets."""
    words = {name: value.strip() for name, value in cell["parameters"].items()}
    return (cell["type"] == "TRELLIS_FF" and words.get("CEMUX", "1") == "1" and
            words.get("CLKMUX") == "CLK" and cell["connections"].get("LSR", ["0"]) == ["0"])


def registers_after(module, users, name):
    """The flip-flops {port of the product: cell name} that a multiplier's product goes to, or None
    where it goes elsewhere, too."""
    found, clocks = {}, set()
    for port, nets in module["cells"][name]["connections"].items():
        if not (port[0] == "P" and port[1:].isdigit()):
            continue
        others = [user for user in users[nets[0]] if user != (name, port)]
        if not others:
            continue
        if len(others) > 1 or others[0] is None or others[0][1] != "DI":
            return None
        cell = module["cells"][others[0][0]]
        if not is_plain(cell):
            return None
        found[port] = others[0][0]
        clocks.add(cell["connections"]["CLK"][0])
    return found if len(clocks) == 1 else None


def use_output_registers(module):
    """Moves products' flip-flops into their multipliers; how many."""
    users, moved = users_of(module), 0
    for name in [name for name, cell in module["cells"].items() if cell["type"] == "MULT18X18D"]:
        registers = registers_after(module, users, name)
        if not registers:
            continue
        cell = module["cells"][name]
        for port, register in registers.items():
            gone = module["cells"].pop(register)["connections"]
            cell["connections"][port] = gone["Q"]
        cell["parameters"].update(CLOCK)
        cell["connections"].update({"CLK0": gone["CLK"], "CE0": ["1"], "RST0": ["0"]})
        cell["port_directions"].update({"CLK0": "input", "CE0": "input", "RST0": "input"})
        moved += len(registers)
    return moved
