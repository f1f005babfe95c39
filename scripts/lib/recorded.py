"""The sections of docs/results.md whose figures docs/trust/*.json has."""

import json
import math
import statistics
from pathlib import Path

import silicon_table

TRUST = Path(__file__).resolve().parent.parent.parent / "docs" / "trust"


def read(name):
    return json.loads((TRUST / f"{name}.json").read_text())


def write(name, record):
    file = TRUST / f"{name}.json"
    part = file.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1) + "\n")
    part.replace(file)


def table(head, rows):
    lines = ["| " + " | ".join(map(str, head)) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def steps_command(row):
    """How systole trains a row: three steps of one launch."""
    return ["train", row["model"], "--device", "model", *row["device"].split(), "--precision", row["type"],
            "--batch-size", row["batch"], "--steps-per-epoch", 3, "--steps-per-execution", 3]


def measured_steps(row, record, commit):
    steps = len(record["losses"])
    return row | {"clocks": round(record["cycles"] / steps), "used": round(record["utilization"], 4),
                  "commit": commit}


def host_command(row):
    return ["train", row["model"], "--device", "model", *row["device"].split(), "--precision", row["type"],
            "--batch-size", row["batch"], "--epochs", 2, "--steps-per-epoch", row["epoch_steps"],
            "--steps-per-execution", row["launch_steps"]]


def measured_host(row, record, commit):
    clocks = round(record["cycles"] / len(record["losses"]))
    microseconds = record["host_share"] * clocks / record["config"]["clock_mhz"]
    return row | {"clocks": clocks, "host_us": round(microseconds, 1),
                  "host_share": round(record["host_share"], 5), "commit": commit}


def training_row(record):
    config, steps = record["config"], len(record["losses"])
    on_array = record["cycles"] is not None
    return [record["dataset"], config["epochs"], config["device"], config["type"], f"{100 * record['accuracy']:.2f}%",
            f"{record['cycles'] / steps:,.0f}" if on_array else "",
            f"{100 * record['utilization']:.1f}%" if on_array else "",
            f"{1e3 * record['device_seconds'] / steps:.3f} ms" if on_array else ""]


def trainings(rows, model, rtl):
    """Whole runs, and what two records of the same first steps have in common."""
    for key in ("losses", "result_checksum", "cycles", "stalls", "busy"):
        if model[key] != rtl[key]:
            raise SystemExit(f"model and rtl differ in {key}")
    return table(["data set", "epochs", "device", "type", "test accuracy", "clocks a step, simulated", "array used",
                  "device time a step at 200 MHz, assumed"], rows) + (
        "\n\nBatches of 128, seed 1, a step a launch. "
        f"`model` and `rtl` agree in every bit of the first {len(rtl['losses'])} losses and of all weights after them "
        f"(checksum {rtl['result_checksum']}), in all {rtl['cycles']:,} clocks and in what the array waited for."
        "\n\n    systole train mnist-mlp --dataset DATA --device DEVICE --precision TYPE --epochs EPOCHS --seed 1")


def compiled_steps():
    record = read("compiled_steps")
    rows = [[one["model"], one["device"], one["batch"], one["type"],
             f"{one['clocks']:,}", f"{100 * one['used']:.1f}%", one["commit"]] for one in record["steps"]]
    hosts = [[one["model"], one["type"], f"{one['launch_steps']}, {one['epoch_steps']}", f"{one['clocks']:,}",
              one["host_us"], f"{100 * one['host_share']:.2f}%", one["commit"]] for one in record["hosts"]]
    return "\n\n".join([
        "Clocks a step, the mean of three of one launch, Adam, simulated. The zeros of a wide kernel do not count "
        "as use of the array:",
        table(["model", "device", "batch", "type", "clocks", "array used", "at commit"], rows),
        "    systole train MODEL --device model DEVICE --batch-size B --steps-per-epoch 3 --steps-per-execution 3",
        "What the host does in a step beside the device, at batch 1024 on `tpu-v2-core` (the mean of all launches "
        "but the first; measured on an idle machine):",
        table(["model", "type", "steps a launch, an epoch", "clocks a step", "host, us a step", "host's share",
               "at commit"], hosts),
        *record["notes"]])


def gpt_command(row):
    """How systole trains a row: three steps of one launch, or 40 on this processor."""
    steps = ["--steps-per-epoch", 3, "--steps-per-execution", 3] if row["clocks"] else ["--steps-per-epoch", 40]
    return ["train", "gpt-words", *row["device"].split(), "--context", row["context"], "--batch-size", row["batch"],
            "--optimizer", "adamw", "--clip-norm", 1, "--test-samples", 2, *steps]


def measured_gpt(row, records, commit):
    """Of several runs on this processor the median counts."""
    if not row["clocks"]:
        seconds = statistics.median(record["later_step_seconds"] for record in records)
        return row | {"ms": round(1e3 * seconds, 2), "commit": commit}
    [record] = records
    cycles, steps = record["cycles"], len(record["losses"])
    return row | {"clocks": round(cycles / steps), "used": round(record["utilization"], 4),
                  "busy": {name: round(count / cycles, 3) for name, count in record["busy"].items()},
                  "ms": round(1e3 * record["device_seconds"] / steps, 2), "commit": commit}


def measured_gpt_on_gpu(row, records, commit):
    chip = records[0]["config"]["chip"]
    if records[0]["config"]["platform"] == "cpu":
        raise SystemExit(f"--gpu: the plugin runs on {chip}; name that of a GPU")
    ms = 1e3 * statistics.median(record["later_step_seconds"] for record in records)
    return {"context": row["context"], "batch": row["batch"], "chip": chip, "ms": round(ms, 3), "commit": commit}


def same_steps_command(device, row):
    steps = ["--steps-per-epoch", row["steps"], "--steps-per-execution", row["steps"]]
    return ["train", "gpt-words", "--device", device, "--array", row["array"], "--batch-size", 2, "--context", 8,
            "--optimizer", "adamw", "--clip-norm", 1, "--test-samples", 2, *steps]


def measured_same_steps(row, records, commit):
    """Refuses devices that differ in a loss, a weight or a count."""
    first = records[0]
    for name in ("losses", "result_checksum", "cycles", "stalls", "busy"):
        differ = [one["config"]["device"] for one in records if one[name] != first[name]]
        if differ:
            raise SystemExit(f"gpt-words at N = {row['array']}: {differ} and {first['config']['device']} differ in {name}")
    return row | {"clocks": first["cycles"], "checksum": first["result_checksum"], "commit": commit}


def held_out_command(row):
    return ["train", "gpt-words", *row["device"].split(), "--batch-size", 16, "--optimizer", "adamw",
            "--learning-rate", 0.003, "--clip-norm", 1, "--steps-per-epoch", 60, "--test-samples", 256]


WORDS_TRAINED = ["train", "gpt-words", "--device", "cpu", "--batch-size", 64, "--optimizer", "adamw",
                 "--learning-rate", 0.003, "--schedule", "cosine:783:0.05:100", "--clip-norm", 1, "--epochs", 3]
WORDS_DRAWN = ["generate", "--count", 24, "--temperature", 0.8, "--seed", 3]


def measured_words(trained, drawn, known, commit):
    """The first ten words that are drawn and not known."""
    words = [word for word in dict.fromkeys(drawn) if len(word) > 2 and word not in known]
    return {"loss": round(trained["test_loss"], 5), "made_up": words[:10], "commit": commit}


def measured_held_out(row, record, commit):
    return row | {"loss": round(record["test_loss"], 5), "commit": commit}


def gpt():
    record = read("gpt")
    processor = {(one["context"], one["batch"]): one["ms"] for one in record["rows"] if not one["clocks"]}
    on_gpu = {(one["context"], one["batch"]): f"{one['ms']:.3f} ({one['chip']}, at {one['commit']})"
              for one in record["gpu"]}
    rows = []
    for one in record["rows"]:
        if not one["clocks"]:
            continue
        shares = one["busy"]
        binds = max(shares, key=shares.get)
        ms = processor[one["context"], one["batch"]]
        rows.append([one["device"].removeprefix("--device model "), one["context"], one["batch"],
                     f"{one['clocks']:,}", f"{100 * one['used']:.1f}%",
                     *(f"{100 * shares[name]:.1f}%" for name in ("array", "vector", "reads", "writes")),
                     {"vector": "vector engine"}.get(binds, binds), f"{one['ms']:.2f}",
                     f"{ms:.1f}; {ms / one['ms']:.2f}", on_gpu.get((one["context"], one["batch"]), "not recorded"), one["commit"]])
    same = [[one["array"], one["steps"], " and ".join(one["devices"]), f"{one['clocks']:,}", one["checksum"],
             one["commit"]] for one in record["same_steps"]]
    held = [[one["device"].removeprefix("--device "), one["type"], one["loss"], f"{math.exp(one['loss']):.2f}",
             one["commit"]] for one in record["held_out"]]
    return "\n\n".join([
        "A step of `gpt-words`, 203,840 weights at a context of 32: the mean of three of one launch, simulated. "
        "The multiply-adds' share is of what the array could do; the others are shares of the clocks in which a "
        "row entered the array, the vector engine ran, and memory gave or took a beat:",
        table(["device", "context", "batch", "clocks", "multiply-adds", "array", "vector engine", "reads", "writes",
               "binds", "ms, assumed clock", "ms on `cpu`, 2 threads; times the device's", "ms on a GPU",
               "at commit"], rows),
        "    systole train gpt-words --device DEVICE --context C --batch-size B --optimizer adamw --clip-norm 1 "
        "--steps-per-epoch 3 --steps-per-execution 3 --test-samples 2",
        *record["notes"],
        "The GPU's times are medians of five runs as well." if on_gpu else
        "No GPU's time is recorded: `scripts/report_results --only \"A transformer\" --gpu PLUGIN` fills the column.",
        "Losses, weights, stalls and busy counts of the first steps, batches of 2 at a context of 8, are equal:",
        table(["N", "steps", "devices", "clocks", "checksum of the weights", "at commit"], same),
        "    systole train gpt-words --device DEVICE --array N --batch-size 2 --context 8 --optimizer adamw "
        "--clip-norm 1 --steps-per-epoch STEPS --steps-per-execution STEPS --test-samples 2",
        "The loss of 256 held-out texts after 60 steps:",
        table(["device", "type", "loss", "perplexity", "at commit"], held),
        "    systole train gpt-words --device DEVICE --batch-size 16 --optimizer adamw --learning-rate 0.003 "
        "--clip-norm 1 --steps-per-epoch 60 --test-samples 256",
        f"Words that a network of 783 steps spelled, held-out loss {record['words']['loss']}, none of them in the list, at commit "
        f"{record['words']['commit']}: {', '.join(record['words']['made_up'])}.",
        "    systole " + " ".join(map(str, [*WORDS_TRAINED, "--checkpoint", "gpt.safetensors"])) + "\n"
        "    systole " + " ".join(map(str, [WORDS_DRAWN[0], "--checkpoint", "gpt.safetensors", *WORDS_DRAWN[1:]]))])


def gpu():
    record = read("gpu")
    batches = sorted({one["batch"] for one in record["rows"]})
    cells = {(one["model"], one["batch"]): "; ".join(f"{one[key]:.3f}" for key in
                                                    ("resident_ms", "fed_ms", "resident_joules"))
             for one in record["rows"]}
    rows = [[model, *(cells[model, batch] for batch in batches)]
            for model in dict.fromkeys(one["model"] for one in record["rows"])]
    return record["source"] + "\n\n" + table(["ms resident; ms fed; J resident", *batches], rows)


def frameworks():
    record = read("frameworks")
    of = {(one["way"], one["model"], one["threads"]): one for one in record["rows"]}
    columns = list(dict.fromkeys((one["model"], one["threads"]) for one in record["rows"]))
    ways = list(dict.fromkeys(one["way"] for one in record["rows"]))
    head = [f"`{model}`, {threads} thread{'s' if threads > 1 else ''}" for model, threads in columns]

    def speed(way, column):
        one = of.get((way, *column))
        return one and one["steps_a_second"]

    def ratio(first, second, column, show):
        speeds = [max(filter(None, (speed(way, column) for way in ways_of)), default=None)
                  for ways_of in (first, second)]
        return show(speeds[0] / speeds[1]) if all(speeds) else ""

    cells = [[way, *(f"{of[way, *c]['steps_a_second']:.1f}; {of[way, *c]['processor_ms']:.1f}"
                     if (way, *c) in of else "" for c in columns)] for way in ways]
    faster = [[f"C++ `{device}` over the faster framework",
               *(ratio([f"C++ {device}"], ["TensorFlow", "JAX", "Keras"], c, lambda r: f"{r:.2f}") for c in columns)]
              for device in ("cpu", "model")]
    cost = [[f"{way} on `{device}`, overhead over C++",
             *(ratio([f"C++ {device}"], [f"{way} on {device}"], c, lambda r: f"{100 * (r - 1):.0f}%")
               for c in columns)] for way in ("JAX", "Keras", "TensorFlow") for device in ("cpu", "model")]
    ratios = [row for row in faster + cost if any(row[1:])]
    commits = ", ".join(dict.fromkeys(one["commit"] for one in record["rows"]))
    return "\n\n".join([f"{record['source']} Measured at commit {commits}.",
                        table(["steps a second; processor ms", *head], cells),
                        table(["ratio", *head], ratios), "    " + record["command"],
                        *record["notes"]])


def joules(value):
    for size, unit in ((1, "J"), (1e-3, "mJ"), (1e-6, "uJ")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{1e9 * value:.3g} nJ"


def energy():
    """Joules a step of each device and of the CPU and a GPU beside it, and a device's causes."""
    rows = {(one["model"], one["batch"], one["device"]): one for one in read("energy")["rows"]}
    gpu = {(one["model"], one["batch"]): one["resident_joules"] for one in read("gpu")["rows"]}
    steps = list(dict.fromkeys((model, batch) for model, batch, _ in rows))
    models = list(dict.fromkeys(model for model, _ in steps))
    steps.sort(key=lambda step: (models.index(step[0]), step[1]))
    devices = {one["device"]: one for one in rows.values() if "by_cause" in one}
    cells = []
    for step in steps:
        base = rows.get((*step, "CPU"))

        def beside_cpu(value, base=base):
            return joules(value) + (f"; {base['joules'] / value:.3g}" if base else "")

        row = [*step, joules(base["joules"]) if base else "", beside_cpu(gpu[step]) if step in gpu else ""]
        for name in devices:
            one = rows.get((*step, name))
            if one is None:
                row += ["", "", "", ""]
                continue
            causes = ", ".join(f"{cause} {share:.0f}" for cause, part in one["by_cause"].items()
                               if (share := 100 * part / one["joules"]) >= 0.5)
            row += [beside_cpu(one["joules"]), causes, ", ".join(map(joules, one["other_processes"].values())),
                    f"{one['clocks']:,.0f}{one.get('clocks_are', '')}"]
        cells.append(row)
    of_device = [head for name, one in devices.items() for head in (
        f"{name}, {one['process']}, {one['memory']}, estimated; the CPU's over it", "% by cause",
        f"at {', '.join(one['other_processes'])}", "clocks")]
    sources = dict.fromkeys(one["source"] for one in rows.values() if one["device"] == "CPU")
    commits = dict.fromkeys(one["commit"] for one in rows.values() if "commit" in one)
    return "\n\n".join([
        "Joules of one training step, Adam, bf16 on a device, fp32 on the CPU. A device's actions are exact, and so are "
        "its clocks, simulated, the mean of three steps, but for those that are marked as planned. Its energies are "
        "published or scaled, so the joules are estimated: a TPU v2 takes two to three times what this table gives it "
        "([energy.md](energy.md#against-a-published-power)).",
        table(["model", "batch", "CPU, published power", "GPU, H100, measured; the CPU's over it", *of_device], cells),
        f"CPU: {'; '.join(sources)}; one thread, the fastest tenth of ten steps. GPU: the whole card by NVML, batches "
        "resident.",
        "    scripts/report_energy", f"Measured at commit {', '.join(commits)}."])


def multiply_adds(record):
    """An element's picojoules from toggles beside those that estimates take."""
    return table(["pJ of a multiply-add at", "published or scaled", "library", "gates, a row", "registers, a row",
                  "gates and registers", "clock pins, a clock"],
                 [[one["process"], "{multiply_bf16:.3g} + {add_fp32:.3g} = ".format(**one["published"])
                   + f"{sum(one['published'].values()):.3g}", one["library"], f"{one['gates']:.3g}",
                   f"{one['registers']:.3g}", f"{one['gates'] + one['registers']:.3g}", f"{one['clock_pins']:.3g}"]
                  for one in record["multiply_adds"]])


def silicon():
    """Each unit's area, path and energy in each library, and what is said of them."""
    record = read("silicon")
    units = {(one["unit"], one["library"]): one for one in record["units"]}
    libraries = list(dict.fromkeys(library for _, library in units))

    def cell(unit, library):
        one = units.get((unit, library))
        if one is None:
            return ""
        parts = [f"{one['area']:,.0f}", f"{1e-3 * one['picoseconds']:.2f}" if one["picoseconds"] else "-"]
        if "energy" in one:
            energy = one["energy"]
            parts.append(f"{silicon_table.picojoules(energy['joules_a_clock'])} +- "
                         f"{silicon_table.picojoules(energy['confidence'])}")
        return "; ".join(parts)

    names = sorted(dict.fromkeys(unit for unit, _ in units), key=lambda unit: silicon_table.place({"unit": unit}))
    rows = []
    for name in names:
        mapped = next((one for (unit, _), one in units.items() if unit == name and one["flip_flops"]), None)
        rows.append([name, f"{mapped['flip_flops']:,}" if mapped else "", *(cell(name, one) for one in libraries)])
    commits = dict.fromkeys(one["commit"] for one in record["units"] if "commit" in one)
    return "\n\n".join([
        "um2; ns of the longest path; pJ a clock with the half of its 95% interval. docs/trust/silicon.json has cells, "
        "leakage, and the energy of gates, registers and clock pins.",
        table(["unit", "flip-flops", *libraries], rows), silicon_table.notes(record), multiply_adds(record),
        *record["notes"], "\n".join(f"    {line}" for line in record["commands"]),
        f"Measured at commit {', '.join(commits)}."])


PARTS_OF_AREA = {"luts": "LUT", "flip_flops": "FF"}


def grown(before, after):
    """By how much a count is above that before, as the pages say it."""
    return f"{100 * (after / before - 1):+.1f}%" if before else ""


def area_table(record):
    """Each module's look-up tables and flip-flops at two commits, and the accelerator's sums."""
    targets = list(record["modules"][0]["areas"])
    columns = [(target, part) for target in targets for part in PARTS_OF_AREA]
    sums = {column: [0, 0] for column in columns}
    rows = []
    for one in record["modules"]:
        row = [one["module"].removeprefix("systole_"), " / ".join(map(str, dict.fromkeys(one["instances"])))]
        for target, part in columns:
            counts = [area[part] if area else 0 for area in one["areas"][target]]
            for i, count in enumerate(counts):
                sums[target, part][i] += one["instances"][i] * count
            row += [f"{counts[0]:,} / {counts[1]:,}", grown(*counts)]
        rows.append(row)
    rows.append(["these, by instances", ""] + [
        word for before, after in sums.values() for word in (f"{before:,} / {after:,}", grown(before, after))])
    head = [word for target, part in columns for word in (f"{PARTS_OF_AREA[part]}, {target}", "more")]
    return table(["module", "instances", *head], rows)


def area():
    """The section on the area of the generated RTL."""
    kept = read("area")
    parts = ["LUTs and flip-flops of each module's own logic in rtl/generated (N = 16) at two commits, the modules "
             "in it being black boxes; the sums count a module as often as the accelerator has it. Synthesised, not "
             "routed."]
    for record in kept["comparisons"]:
        parts += [f"From {record['base']} to {record['commit']}, {record['yosys']}:", area_table(record),
                  f"    scripts/area {record['base']} {record['commit']}"]
    return "\n\n".join([*parts, *kept["notes"]])
