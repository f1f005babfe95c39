#!/usr/bin/env python3
"""How long the second step of a new training takes on a device, with an empty cache.

    scripts/python python tests/bench/second_step.py
    scripts/python python tests/bench/second_step.py --shapes wide --steps 3
    scripts/python python tests/bench/second_step.py --processor --repeats 5

Five CNNs for CIFAR-10 train through Keras in TensorFlow, each in a process of its own: on `model`, whose
first step plans its programs, checks them and simulates their clocks, and on TensorFlow's own CPU. Images are
random numbers, which changes no time. A line shows the seconds of the first two steps and of later ones (the
smallest), and the processor seconds of the second. The ratio of a network is the median of those of its
repeats, in each of which both train one after the other. Exit codes: 0 every second step on `model` takes at
most three times as long as TensorFlow's (by processor seconds with --processor, for a machine that is busy);
1 one does not.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

MOST = 3.0


def shapes(layers):
    """The networks' layers by name, and their batches."""
    conv = lambda filters, size=3, **more: layers.Conv2D(
        filters, size, activation="relu", padding="same", **more
    )
    return {
        "small": (32, [conv(32), layers.MaxPooling2D(), conv(64), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(64, "relu")]),
        "strided": (64, [conv(24, 5, strides=2), conv(48, strides=2), conv(96), layers.GlobalAveragePooling2D()]),
        "pairs": (128, [conv(16), conv(16), layers.MaxPooling2D(), conv(32), conv(32), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(128, "relu"), layers.Dropout(0.5)]),
        "normalized": (256, [conv(20), layers.BatchNormalization(), layers.MaxPooling2D(), conv(40), layers.BatchNormalization(), layers.MaxPooling2D(), conv(60), layers.GlobalAveragePooling2D()]),
        "wide": (512, [layers.Conv2D(12, 4, activation="relu"), layers.AveragePooling2D(2), layers.Conv2D(28, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(84, "tanh"), layers.Dense(33, "relu")]),
    }


def train(name, on_device, steps):
    """The seconds and processor seconds of each step."""
    if on_device:
        import systole.tensorflow as tf

        strategy = tf.distribute.TPUStrategy(tf.distribute.cluster_resolver.TPUClusterResolver())
    else:
        import tensorflow as tf

        strategy = tf.distribute.get_strategy()
    import numpy as np

    with strategy.scope():
        batch, layers = shapes(tf.keras.layers)[name]
        model = tf.keras.Sequential(
            [tf.keras.layers.Input((32, 32, 3)), *layers, tf.keras.layers.Dense(10, "softmax")]
        )
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])

    class Times(tf.keras.callbacks.Callback):
        times = []

        def on_train_batch_begin(self, batch, logs=None):
            self.begin = time.perf_counter(), time.process_time()

        def on_train_batch_end(self, batch, logs=None):
            begin = self.begin
            self.times.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))

    random = np.random.default_rng(1)
    images = random.random((batch * steps, 32, 32, 3), np.float32)
    labels = random.integers(0, 10, batch * steps)
    model.fit(images, labels, batch_size=batch, shuffle=False, verbose=0, callbacks=[Times()])
    return {"batch": batch, "times": Times.times}


def measured(name, on_device, steps):
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "SYSTOLE_CACHE_DIR": cache, "TF_CPP_MIN_LOG_LEVEL": "2"}
        if on_device:
            environment["SYSTOLE_DEVICE"] = "model"
        words = [sys.executable, __file__, "--train", name, "--steps", str(steps)]
        done = subprocess.run(
            words + (["--on-device"] if on_device else []),
            env=environment, stdout=subprocess.PIPE, check=True, text=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def compare(name, steps, which):
    """The second step on `model` in TensorFlow's steps, by seconds (0) or processor seconds (1)."""
    ours, theirs = (measured(name, on_device, steps) for on_device in (True, False))
    for kind, one in (("model", ours), ("TensorFlow", theirs)):
        times = one["times"]
        print(
            f"{name}, batch {one['batch']}, {kind:<10}  first {times[0][0]:7.2f} s  second {times[1][0]:6.3f} s"
            f"  later {min(step[0] for step in times[2:] or times[1:]):6.3f} s  processor, second {times[1][1]:6.3f} s,"
            f" later {min(step[1] for step in times[2:] or times[1:]):6.3f} s",
            flush=True,
        )
    return ours["times"][1][which] / min(step[which] for step in theirs["times"][1:])


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--shapes", nargs="+", default=["small", "strided", "pairs", "normalized", "wide"])
    words.add_argument("--steps", type=int, default=5)
    words.add_argument("--repeats", type=int, default=1)
    words.add_argument("--processor", action="store_true", help="compare processor seconds")
    words.add_argument("--train", help=argparse.SUPPRESS)
    words.add_argument("--on-device", action="store_true", help=argparse.SUPPRESS)
    given = words.parse_args()
    if given.train:
        print(json.dumps(train(given.train, given.on_device, given.steps)))
        return 0

    slow = 0
    for name in given.shapes:
        ratios = [compare(name, given.steps, 1 if given.processor else 0) for _ in range(given.repeats)]
        ratio = statistics.median(ratios)
        print(f"{name}: {ratio:.2f} times TensorFlow's, {min(ratios):.2f} to {max(ratios):.2f}", flush=True)
        slow += ratio > MOST
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
