#!/usr/bin/env python3
"""Steps a second of trainings in C++, TensorFlow and JAX, on their own CPU and on Systole's devices.

  scripts/python python tests/bench/frameworks.py [--threads N] [--rounds N] [--steps N] [--ways A,B]
                                                  [MODEL...]

Every way to train stays in a process of its own, on the first N processors alone. In each round all of
them take some steps of one network, one after the other, so that what else the machine does meets all.
Prints the median of the rounds, and the processor time of a step, which other work changes less: the
smallest. Batches of 128 random images with Adam, an array of 16 x 16; frameworks train through Keras's
train_on_batch, C++ through `systole train`.
"""

import argparse
import json
import os
import pathlib
import resource
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
    """A function that runs steps of a network in Keras: the seconds of one, and of processors."""
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
        begin, processor = time.perf_counter(), time.process_time()
        for _ in range(steps):
            float(model.train_on_batch(x, y))
        return (time.perf_counter() - begin) / steps, (time.process_time() - processor) / steps

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
        print("seconds", *steppers[name](int(steps)), flush=True)


def write_data(folder):
    """Random images and labels in the formats of the data sets."""
    import numpy

    random = numpy.random.default_rng(0)

    def bytes_of(*shape, most=256):
        return random.integers(0, most, shape, numpy.uint8).tobytes()

    def numbers(*values):
        return b"".join(value.to_bytes(4, "big") for value in values)

    images, labels = 16 * BATCH, numbers(0x801, 16 * BATCH)
    for name in ("mnist", "fashion-mnist"):
        pathlib.Path(folder, name).mkdir()
        for part in ("train", "t10k"):
            pixels = numbers(0x803, images, 28, 28) + bytes_of(images, 28, 28)
            pathlib.Path(folder, name, f"{part}-images-idx3-ubyte").write_bytes(pixels)
            classes = labels + bytes_of(images, most=10)
            pathlib.Path(folder, name, f"{part}-labels-idx1-ubyte").write_bytes(classes)
    pathlib.Path(folder, "cifar10").mkdir()
    for name in ("test_batch", *(f"data_batch_{i}" for i in range(1, 6))):
        rows = (bytes_of(1, most=10) + bytes_of(3072) for _ in range(images // 4))
        pathlib.Path(folder, "cifar10", name + ".bin").write_bytes(b"".join(rows))


def train_in_cpp(device, name, steps, threads, data):
    """The seconds of a step after the first, and of processors."""

    def train(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        record = pathlib.Path(data, "record.json")
        words = ["--device", device, "--steps-per-epoch", str(count), "--test-samples", "1"]
        words += ["--batch-size", str(BATCH), "--threads", str(threads), "--json", str(record)]
        words += ["--array", str(ARRAY), "--data-dir", data]
        subprocess.run(["systole", "train", name, *words], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = json.loads(record.read_text())["later_step_seconds"]
        return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    _, start = train(1)
    seconds, processor = train(1 + steps)
    return seconds, (processor - start) / steps


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
            return tuple(map(float, line.split()[1:]))
    sys.exit(f"{' '.join(process.args)} has ended")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("models", nargs="*", default=MODELS, metavar="MODEL", help=", ".join(MODELS))
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--steps", type=int, default=5)
    options.add_argument("--ways", type=lambda text: text.split(","), default=list(WAYS), help=", ".join(WAYS))
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
    processes = {
        way: start(backend, device, chosen.threads) for way, (backend, device) in ways.items() if backend != "c++"
    }
    print("| steps a second; processor ms |", " | ".join(ways), "|")
    print("|---|" + "---|" * len(ways))
    with tempfile.TemporaryDirectory() as data:
        write_data(data)
        for name in chosen.models:
            seconds = {way: [] for way in ways}
            for process in processes.values():
                ask(process, name, 1)
            for _ in range(chosen.rounds):
                for way, (_, device) in ways.items():
                    if way in processes:
                        seconds[way].append(ask(processes[way], name, chosen.steps))
                    else:
                        seconds[way].append(
                            train_in_cpp(device, name, chosen.steps, chosen.threads, data)
                        )
            cells = (
                f"{1 / statistics.median(wall for wall, _ in of):.1f}; "
                f"{1000 * min(processor for _, processor in of):.0f}"
                for of in seconds.values()
            )
            print(f"| `{name}` |", " | ".join(cells), "|", flush=True)
    for process in processes.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    main()
