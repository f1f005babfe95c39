"""The program for a Cloud TPU learns as well on a core as on TensorFlow's own CPU.

Fashion-MNIST as in the notebook: its 60,000 images in batches of 1,000 through a CNN, its 10,000 to test.
"""

import gzip
import pathlib
import unittest

import cloud_tpu
import numpy as np

import systole.tensorflow as tf

DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
EPOCHS, BATCH = 3, 1000
MOST_POINTS = 0.5


def read(name, header):
    return np.frombuffer(gzip.decompress((DATA / name).read_bytes()), np.uint8, offset=header)


def data(part):
    images = read(f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28, 1).astype("float32")
    return images, read(f"{part}-labels-idx1-ubyte.gz", 8).astype("int64")


def accuracies(strategy):
    """In percent of the images to test, after each epoch."""
    layers = tf.keras.layers
    with strategy.scope():
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential(
            [
                layers.Input((28, 28, 1)),
                layers.Conv2D(64, 3),
                layers.MaxPooling2D(),
                layers.Activation("relu"),
                layers.Flatten(),
                layers.Dense(10),
            ]
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"])
    options = {"validation_data": data("t10k"), "validation_batch_size": BATCH, "verbose": 0}
    history = model.fit(*data("train"), BATCH, EPOCHS, **options)
    return [100 * share for share in history.history["val_accuracy"]]


@unittest.skipUnless(DATA.is_dir(), f"no {DATA}: run scripts/setup")
class Accuracy(unittest.TestCase):
    def test_it_is_the_cpu_s_within_half_a_point(self):
        expected = accuracies(tf.distribute.OneDeviceStrategy("/CPU:0"))
        self.assertEqual(sum(core.calls for core in tf.counters()), 0)
        ours = accuracies(cloud_tpu.strategy())
        (core,) = tf.counters()
        steps, batches = EPOCHS * 60, EPOCHS * 10
        self.assertEqual(core.calls, 5 * steps + 2 * batches)
        print("core", *(f"{one:.2f}" for one in ours), "CPU", *(f"{one:.2f}" for one in expected), flush=True)
        self.assertGreater(expected[-1], 80)
        self.assertLess(abs(ours[-1] - expected[-1]), MOST_POINTS)


if __name__ == "__main__":
    unittest.main()
