#!/usr/bin/env python3
"""Steps a second of trainings in C++, TensorFlow and JAX, on their own CPU and on Systole's devices.

  scripts/python python tests/bench/frameworks.py [--threads N] [--rounds N] [--steps N] [--ways A;B]
                                                  [--most RATIO] [MODEL...]

Every way to train stays in a process of its own, on the first N processors alone. In each round all of
them take some steps of one network, one after the other, so that what else the machine does meets all.
Prints the median of the rounds, and the processor time of a step, which other work changes less: the
smallest. Then, for each way on a device, how long its steps take beside C++ on the same device: the
median over the rounds, the least and the greatest, in processor time and in wall time. Batches of 128
random images with Adam, an array of 16 x 16. "JAX" is a jitted step as Keras's guide to JAX writes it,
on JAX's CPU or on the platform `systole`; TensorFlow, and "Keras" on JAX, train through train_on_batch;
C++ through `bench_steps`. Exit codes: 0; 1 a median of "JAX" beside C++ is above --most, in processor time.
"""

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

BATCH, ARRAY = 128, 16
# Each way's Keras backend (or C++) and $SYSTOLE_DEVICE.
WAYS = {
    "C++ cpu": ("c++", "cpu"),
    "C++ model": ("c++", "model"),
    "TensorFlow": ("tensorflow", ""),
    "TensorFlow on cpu": ("tensorflow", "cpu"),
    "TensorFlow on model": ("tensorflow", "model"),
    "JAX": ("jax", ""),
    "JAX on cpu": ("jax", "cpu"),
    "JAX on model": ("jax", "model"),
    "Keras": ("keras", ""),
    "Keras on cpu": ("keras", "cpu"),
    "Keras on model": ("keras", "model"),
}
MODELS = ("mnist-mlp", "fashion-cnn", "cifar10-cnn")


def layers_of(name, layers):
    def convolution(filters, pool):
        return [
            layers.Conv2D(filters, 3, padding="same"),
            *([layers.MaxPooling2D()] if pool else []),
            layers.BatchNormalization(momentum=0.9),
            layers.Activation("relu"),
        ]

    if name == "mnist-mlp":
        body = [layers.Flatten(), layers.Dense(512, activation="relu")]
    elif name == "fashion-cnn":
        body = [layers.Conv2D(64, 3), layers.MaxPooling2D(), layers.Activation("relu"), layers.Flatten()]
    else:
        body = sum((convolution(*of) for of in ((32, True), (64, True), (96, False), (96, True))), [])
        body += [layers.Flatten(), layers.Dropout(0.4)]
    shape = (32, 32, 3) if name == "cifar10-cnn" else (28, 28, 1)
    return shape, [layers.Input(shape), *body, layers.Dense(10)]


def compiled(name):
    """A network in Keras, and a batch."""
    import keras
    import numpy

    keras.utils.set_random_seed(1)
    shape, layers = layers_of(name, keras.layers)
    model = keras.Sequential(layers)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x = numpy.random.default_rng(0).random((BATCH, *shape), "float32")
    return model, x, (numpy.arange(BATCH) % 10).astype("int32")


def keras_step(name):
    model, x, y = compiled(name)
    return lambda: float(model.train_on_batch(x, y))


def jax_step(name):
    """The step of Keras's guide to training with JAX."""
    import jax

    model, x, y = compiled(name)
    model.optimizer.build(model.trainable_variables)

    def loss_and_updates(trained, rest, x, y):
        scores, rest = model.stateless_call(trained, rest, x, training=True)
        return model.loss(y, scores), rest

    @functools.partial(jax.jit, donate_argnums=0)
    def train_step(state, x, y):
        trained, rest, slots = state
        gradient = jax.value_and_grad(loss_and_updates, has_aux=True)
        (loss, rest), gradients = gradient(trained, rest, x, y)
        trained, slots = model.optimizer.stateless_apply(slots, gradients, trained)
        return loss, (trained, rest, slots)

    variables = model.trainable_variables, model.non_trainable_variables, model.optimizer.variables
    state = tuple([variable.value for variable in some] for some in variables)

    def step():
        nonlocal state
        loss, state = train_step(state, x, y)
        return float(loss)

    return step


def threads():
    return len(os.sched_getaffinity(0))


def seconds_of(step, steps):
    """The seconds of a step, and of processors."""
    begin, processor = time.perf_counter(), time.process_time()
    for _ in range(steps):
        step()
    return (time.perf_counter() - begin) / steps, (time.process_time() - processor) / steps


def work(backend, device):
    """Answers lines of "MODEL STEPS" with the seconds of a step."""
    if backend == "tensorflow":
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(threads())
        tf.config.threading.set_inter_op_parallelism_threads(threads())
        if device:
            import systole.tensorflow  # noqa: F401
    make = jax_step if backend == "jax" else keras_step
    steps_of = {}
    for line in sys.stdin:
        name, steps = line.split()
        if name not in steps_of:
            steps_of[name] = make(name)
            steps_of[name]()
        print("seconds", *seconds_of(steps_of[name], int(steps)), flush=True)


def start(backend, device, threads):
    environment = {
        **os.environ,
        "KERAS_BACKEND": "tensorflow" if backend == "tensorflow" else "jax",
        "JAX_PLATFORMS": "systole" if device else "cpu",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "SYSTOLE_DEVICE": device,
        "SYSTOLE_THREADS": str(threads),
        "SYSTOLE_ARRAY_SIZE": str(ARRAY),
    }
    words = [sys.executable, __file__, "--work", backend, device]
    if backend == "c++":
        words = ["bench_steps", device, f"--threads={threads}", f"--array={ARRAY}", f"--batch-size={BATCH}"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(words, env=environment, text=True, **pipes)


def ask(process, name, steps):
    print(name, steps, file=process.stdin, flush=True)
    for line in process.stdout:
        if line.startswith("seconds "):
            return tuple(map(float, line.split()[1:]))
    sys.exit(f"{' '.join(process.args)} has ended")


def beside_cpp(model, seconds):
    """Prints how long each way's steps take beside C++'s; the greatest median of JAX in processor time."""
    greatest = 0.0
    for way, times in seconds.items():
        prefix, _, device = way.partition(" on ")
        cpp = seconds.get(f"C++ {device}")
        if not cpp:
            continue
        wall, processor = ([a[i] / b[i] for a, b in zip(times, cpp)] for i in (0, 1))
        of = [f"{statistics.median(one):.2f} ({min(one):.2f} to {max(one):.2f})" for one in (processor, wall)]
        print(f"{model}: {way} takes {of[0]} of C++'s processor time, {of[1]} of its wall time", flush=True)
        if prefix == "JAX":
            greatest = max(greatest, statistics.median(processor))
    return greatest


def record(file, model, threads, rows):
    """Puts a model's rows in the place of older ones of the same way, model and threads."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    kept = json.loads(file.read_text())
    of = {(row["way"], row["model"], row["threads"]): row for row in kept["rows"]}
    for way, (speed, processor) in rows.items():
        of[way, model, threads] = {
            "way": way,
            "model": model,
            "threads": threads,
            "steps_a_second": speed,
            "processor_ms": processor,
            "commit": commit.stdout.strip(),
        }
    kept["rows"] = list(of.values())
    part = file.with_suffix(".part")
    part.write_text(json.dumps(kept, indent=1) + "\n")
    part.replace(file)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("models", nargs="*", default=MODELS, metavar="MODEL", help=", ".join(MODELS))
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--steps", type=int, default=5)
    options.add_argument("--ways", type=lambda text: text.split(";"), default=list(WAYS), help="; ".join(WAYS))
    options.add_argument("--most", type=float, default=float("inf"), help="the greatest ratio of JAX to C++ that is well")
    options.add_argument("--record", type=Path, help="puts the rows into docs/trust/frameworks.json, or another file")
    options.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.work:
        return work(*chosen.work)
    if unknown := set(chosen.models) - set(MODELS):
        options.error(f"unknown models {', '.join(sorted(unknown))}: there are {', '.join(MODELS)}")
    if unknown := set(chosen.ways) - set(WAYS):
        options.error(f"unknown ways {', '.join(sorted(unknown))}: there are {', '.join(WAYS)}")
    ways = {way: WAYS[way] for way in chosen.ways}
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: chosen.threads])
    processes = {way: start(backend, device, chosen.threads) for way, (backend, device) in ways.items()}
    print("| steps a second; processor ms |", " | ".join(ways), "|")
    print("|---|" + "---|" * len(ways))
    greatest = 0.0
    for name in chosen.models:
        for process in processes.values():
            ask(process, name, 2)
        seconds = {way: [] for way in ways}
        for _ in range(chosen.rounds):
            for way, process in processes.items():
                seconds[way].append(ask(process, name, chosen.steps))
        rows = {
            way: (
                round(1 / statistics.median(wall for wall, _ in of), 1),
                round(1000 * min(processor for _, processor in of), 1),
            )
            for way, of in seconds.items()
        }
        print(f"| `{name}` |", " | ".join(f"{a:.1f}; {b:.1f}" for a, b in rows.values()), "|", flush=True)
        greatest = max(greatest, beside_cpp(name, seconds))
        if chosen.record:
            record(chosen.record, name, chosen.threads, rows)
    for process in processes.values():
        process.stdin.close()
        process.wait()
    return int(greatest > chosen.most)


if __name__ == "__main__":
    sys.exit(main())
