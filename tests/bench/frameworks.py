#!/usr/bin/env python3
"""Steps a second of trainings in C++, TensorFlow and JAX, on their own CPU and on Systole's devices.

  scripts/python python tests/bench/frameworks.py [--threads N] [--rounds N] [--steps N] [MODEL...]

Every way to train stays in a process of its own, on the first N processors alone. In each round all of
them take some steps of one network, one after the other, so that what else the machine does meets all.
Prints the median of the rounds. Batches of 128 with Adam, an array of 16 x 16; frameworks train on random
images through Keras's train_on_batch, C++ on its data sets (a dash where scripts/fetch_data has not
brought one).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

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


def stepper(name):
    """A function that runs steps of a network in Keras and returns the seconds of one."""
    import keras
    import numpy

    keras.utils.set_random_seed(1)
    shape, layers = layers_of(name, keras.layers)
    model = keras.Sequential(layers)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x = numpy.random.default_rng(0).random((BATCH, *shape), "float32")
    y = numpy.arange(BATCH) % 10
    model.train_on_batch(x, y)

    def run(steps):
        begin = time.perf_counter()
        for _ in range(steps):
            float(model.train_on_batch(x, y))
        return (time.perf_counter() - begin) / steps

    return run


def work(backend, device):
    """Answers lines of "MODEL STEPS" with the seconds of a step."""
    if backend == "tensorflow":
        import tensorflow as tf

        threads = len(os.sched_getaffinity(0))
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        if device:
            import systole.tensorflow  # noqa: F401
    steppers = {}
    for line in sys.stdin:
        name, steps = line.split()
        if name not in steppers:
            steppers[name] = stepper(name)
        print(f"seconds {steppers[name](int(steps))}", flush=True)


def train_in_cpp(device, name, steps, threads):
    """The seconds of a step after the first, or None without the data."""
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder, "record.json")
        words = ["--device", device, "--steps-per-epoch", str(steps + 1), "--test-samples", "1"]
        words += ["--batch-size", str(BATCH), "--threads", str(threads), "--json", str(record)]
        words += ["--array", str(ARRAY)]
        done = subprocess.run(["systole", "train", name, *words], capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr.strip(), file=sys.stderr)
            return None
        return json.loads(record.read_text())["later_step_seconds"]


def start(backend, device, threads):
    environment = {
        **os.environ,
        "KERAS_BACKEND": backend,
        "JAX_PLATFORMS": "cpu",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "SYSTOLE_DEVICE": device,
        "SYSTOLE_THREADS": str(threads),
        "SYSTOLE_ARRAY_SIZE": str(ARRAY),
    }
    words = [sys.executable, __file__, "--work", backend, device]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(words, env=environment, text=True, **pipes)


def ask(process, name, steps):
    print(name, steps, file=process.stdin, flush=True)
    for line in process.stdout:
        if line.startswith("seconds "):
            return float(line.split()[1])
    sys.exit(f"{' '.join(process.args)} has ended")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("models", nargs="*", default=MODELS, metavar="MODEL", help=", ".join(MODELS))
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--steps", type=int, default=5)
    options.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.work:
        return work(*chosen.work)
    if unknown := set(chosen.models) - set(MODELS):
        options.error(f"unknown models {', '.join(sorted(unknown))}: there are {', '.join(MODELS)}")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: chosen.threads])
    processes = {
        way: start(backend, device, chosen.threads) for way, (backend, device) in WAYS.items() if backend != "c++"
    }
    print("| steps a second |", " | ".join(WAYS), "|")
    print("|---|" + "---|" * len(WAYS))
    for name in chosen.models:
        seconds = {way: [] for way in WAYS}
        for process in processes.values():
            ask(process, name, 1)
        for _ in range(chosen.rounds):
            for way, (_, device) in WAYS.items():
                if way in processes:
                    seconds[way].append(ask(processes[way], name, chosen.steps))
                else:
                    seconds[way].append(train_in_cpp(device, name, chosen.steps, chosen.threads))
        rates = ("-" if None in of else f"{1 / statistics.median(of):.1f}" for of in seconds.values())
        print(f"| `{name}` |", " | ".join(rates), "|", flush=True)
    for process in processes.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    main()
