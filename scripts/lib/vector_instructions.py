"""The vector unit's instructions, described in hls/device/device.json, as C++ and as a page."""


def pascal(name):
    return "".join(word.capitalize() for word in name.split("_"))


def check(vector):
    """Fields lie side by side; operations, sources and exchanges have room for their numbers."""
    bits = {f["name"]: f["bits"] for f in vector["fields"]}
    place = 0
    for field in vector["fields"]:
        if field["low"] != place:
            raise SystemExit(f"vector.{field['name']} does not follow the field before it")
        place += field["bits"]
    taken = [n for s in vector["sources"] for n in range(s["first"], s["first"] + s.get("count", 1))]
    if len(taken) != len(set(taken)) or max(taken) >= 1 << bits["a"]:
        raise SystemExit("two vector sources share a number, or one has too few bits")
    if len(vector["operations"]) > 1 << bits["operation"]:
        raise SystemExit("there are more vector operations than their field can tell apart")
    for operation in vector["operations"]:
        unknown = set(operation["uses"]) - bits.keys()
        if unknown or len(operation.get("modes", [])) > 1 << bits["mode"]:
            raise SystemExit(f"vector operation {operation['name']} uses what is not there")


def enum(name, values, about):
    out = ["", f"/// {about}", f"enum class {name} : unsigned char {{"]
    return out + [f"  k{pascal(v['name'])},  ///< {v['about']}" for v in values] + ["};"]


def header(vector, made):
    """hls/kernels/vector/instruction.h."""
    out = ["#pragma once", "", f"// {made}", "", '#include "systole/hls/int.h"', "",
           "namespace systole::kernels {", "", "using namespace systole::hls;", "",
           "// The vector engine's instructions, as data: docs/vector.md. Operands a, b, c are 32 bits.",
           "// Floats follow docs/numerics.md section 8, integers are modulo 2^32."]
    out += enum("VectorOperation", vector["operations"], "Numbered in this order.")
    out.append(f"inline constexpr int kVectorOperations = {len(vector['operations'])};")
    for one in vector["operations"]:
        if "modes" in one:
            out += enum(f"Vector{pascal(one['enum'])}", one["modes"], f"The mode of {one['name']}.")
    out += ["", "/// Where an operand comes from; the numbers between these have no meaning."]
    for source in vector["sources"]:
        if source["name"] == "registers":
            out.append(f"inline constexpr int kVectorRegisters = {source['count']};  ///< {source['about']}")
            continue
        if source["name"] == "constants":
            out.append(f"inline constexpr int kVectorConstants = {source['count']};  ///< {source['about']}")
        out.append(f"inline constexpr int kSource{pascal(source['name'])} = {source['first']};"
                   + ("" if "count" in source else f"  ///< {source['about']}"))
    last = max(s["first"] for s in vector["sources"] if "count" not in s)
    out += [f"inline constexpr int kSourceEnd = {last + 1};  ///< of those that are neither registers nor constants",
            "", "/// An exchange reads operand b from another lane or slot; 0 none."]
    out += [f"inline constexpr int kExchange{pascal(e['name'])} = {e['first']};  ///< {e['about']}"
            for e in vector["exchanges"]]
    out += ["", "/// One instruction in 64 bits, lowest bits first in the order of the members.",
            "struct VectorInstruction {"]
    out += [f"  {'UInt1' if f['bits'] == 1 else 'UInt<%d>' % f['bits']} {f['name']};  ///< {f['about']}"
            for f in vector["fields"]]
    out += ["};", "", "constexpr VectorInstruction decode_vector(const UInt<64>& word) {"]
    out.append("  return {" + ",\n          ".join(
        f".{f['name']} = slice<{f['low'] + f['bits'] - 1}, {f['low']}>(word)"
        for f in vector["fields"]) + "};")
    return "\n".join(out + ["}", "", "}  // namespace systole::kernels", ""])


def page(vector):
    """A section of docs/device.md."""
    out = ["", "## Vector instructions", "", vector["about"], "", "| field | bits | is |", "|---|---|---|"]
    out += [f"| {f['name']} | {f['low'] + f['bits'] - 1}:{f['low']} | {f['about']} |" for f in vector["fields"]]
    out += ["", "| number | operation | uses | result |", "|---|---|---|---|"]
    out += [f"| {i} | {o['name']} | {', '.join(o['uses'])} | {o['about']} |"
            for i, o in enumerate(vector["operations"])]
    out += ["", "| mode of | number | name | is |", "|---|---|---|---|"]
    out += [f"| {o['name']} | {i} | {m['name']} | {m['about']} |"
            for o in vector["operations"] for i, m in enumerate(o.get("modes", []))]
    out += ["", "| source | name | is |", "|---|---|---|"]
    for s in vector["sources"]:
        to = f" to {s['first'] + s['count'] - 1}" if "count" in s else ""
        out.append(f"| {s['first']}{to} | {s['name']} | {s['about']} |")
    out += ["", "| exchange | of | is |", "|---|---|---|", "| 0 | | none |"]
    for e in vector["exchanges"]:
        to = e["first"] + e["count"] - 1 if isinstance(e["count"], int) else e["count"]
        out.append(f"| {e['first']} to {to} | {e['name']}s | {e['about']} |")
    for what in ("refused", "ignored"):
        verb = "Illegal, where its program is brought" if what == "refused" else "Ignored"
        out += ["", f"{verb}:", ""] + [f"- {one}" for one in vector[what]]
    return out
