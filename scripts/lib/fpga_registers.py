"""Registers of multipliers and pads in a netlist of Yosys, which leaves them unused."""

import copy

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


def put_in_pad(cell, direction):
    cell["attributes"].update({"syn_useioff": f"{1:032b}", "ioff_dir": direction})


def use_input_registers(module, users):
    """Marks flip-flops that alone take what comes from a bidirectional pad; how many."""
    marked = 0
    for name, pad in module["cells"].items():
        for net in pad["connections"].get("O", []) if pad["type"] == "TRELLIS_IO" else []:
            takers = [user for user in users[net] if user != (name, "O")]
            if len(takers) == 1 and takers[0] and takers[0][1] == "DI":
                cell = module["cells"][takers[0][0]]
                if is_plain(cell):
                    put_in_pad(cell, "input")
                    marked += 1
    return marked


def use_pad_registers(module):
    """Marks what the router is to put into pads: flip-flops after bidirectional ones, and those that
    lead to nothing but pads, of which each pad gets a copy. How many pads' registers there are."""
    users, cells = users_of(module), module["cells"]
    marked = use_input_registers(module, users)
    top = max((net for net in users if isinstance(net, int)), default=0)
    for name in [name for name, cell in cells.items()
                 if cell["type"] == "TRELLIS_FF" and is_plain(cell)]:
        net = cells[name]["connections"]["Q"][0]
        ends = [user for user in users[net] if user != (name, "Q")]
        pads = [end for end in ends if end and cells[end[0]]["type"] == "TRELLIS_IO"]
        if not ends or len(pads) + ends.count(None) != len(ends) or ends.count(None) > 1:
            continue
        put_in_pad(cells[name], "output")
        for pad, port in pads[0 if None in ends else 1:]:
            top += 1
            one = cells[f"{name}$of${pad}"] = copy.deepcopy(cells[name])
            one["connections"]["Q"] = cells[pad]["connections"][port] = [top]
        marked += len(ends)
    return marked
