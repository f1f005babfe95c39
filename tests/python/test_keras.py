"""Keras trains on the cores: beside TensorFlow's CPU, on model and rtl, and in a Cloud TPU program."""

import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import cloud_tpu
import numpy as np

import systole.tensorflow as tf
from systole import adam

keras = tf.keras
STEPS, BATCH = 3, 16
# Operands are rounded to bf16, by half of 2^-8 of themselves at most, and each step adds to it.
BF16_TOLERANCE = 2.0**-6
# Products of a step: forward, weights' gradients, and inputs' gradients of all layers but the first.
MODELS = {"mlp": 5, "cnn": 8}


def model(name):
    layers = keras.layers
    keras.utils.set_random_seed(1)
    if name == "mlp":
        parts = [layers.Flatten(), layers.Dense(9, activation="relu"), layers.Dense(3)]
    else:
        parts = [
            layers.Conv2D(5, 3, padding="same"),
            layers.MaxPooling2D(),
            layers.Activation("relu"),
            layers.Conv2D(4, 2, strides=2),
            layers.Flatten(),
            layers.Dense(3),
        ]
    return keras.Sequential([layers.Input((6, 6, 2)), *parts])


def data():
    random = np.random.default_rng(2)
    labels = np.arange(STEPS * BATCH) % 3
    images = random.normal(size=(STEPS * BATCH, 6, 6, 2)) + labels[:, None, None, None]
    return images.astype(np.float32), labels


def total():
    """Calls, products and clocks of all cores, and copies between them and TensorFlow's CPU device."""
    cores = tf.counters()
    return [
        sum(core.calls for core in cores),
        sum(core.done.products for core in cores),
        sum(core.done.clocks for core in cores),
        sum(core.to_core + core.from_core for core in cores),
    ]


class Losses(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.losses, self.clocks, self.copies = [], [], []

    def on_train_batch_end(self, batch, logs=None):
        self.losses.append(logs["loss"])
        _, _, clocks, copies = total()
        self.clocks.append(clocks)
        self.copies.append(copies)


def train(name, strategy, optimizer="sgd", **options):
    """The final weights, and after each step: the losses' mean, clocks and copies."""
    with strategy.scope():
        trained = model(name)
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        trained.compile(optimizer=optimizer, loss=loss, **options)
    losses = Losses()
    images, labels = data()
    trained.fit(images, labels, batch_size=BATCH, shuffle=False, verbose=0, callbacks=[losses])
    return losses, trained.get_weights()


def on_the_core():
    return tf.distribute.OneDeviceStrategy("/SYSTOLE:0")


def on_the_cpu():
    return tf.distribute.OneDeviceStrategy("/CPU:0")


def run(device, *arguments):
    return subprocess.run(
        [sys.executable, __file__, *arguments],
        env={**os.environ, "SYSTOLE_DEVICE": device},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


class Training(unittest.TestCase):
    def test_losses_and_weights_are_the_cpu_s_within_bf16_and_nothing_falls_back(self):
        for name, products in MODELS.items():
            with self.subTest(model=name):
                expected, weights = train(name, on_the_cpu())
                before = total()
                trained, ours = train(name, on_the_core())
                calls, done, clocks, _ = (a - b for a, b in zip(total(), before))
                losses, expected = trained.losses, expected.losses
                np.testing.assert_allclose(losses, expected, rtol=BF16_TOLERANCE)
                for a, b in zip(ours, weights):
                    np.testing.assert_allclose(a, b, atol=BF16_TOLERANCE * np.abs(b).max())
                self.assertEqual(calls, STEPS * products)
                self.assertEqual(done, calls)
                self.assertGreater(clocks, 0)
                self.assertLess(losses[-1], losses[0])

    def test_adam_is_one_operation_with_the_bits_of_keras_s_own(self):
        one = adam.op_def_library.apply_op
        with mock.patch.object(adam.op_def_library, "apply_op", wraps=one) as applied:
            ours, weights = train("cnn", on_the_core(), "adam")
        self.assertIn("SystoleAdam", [call.args[0] for call in applied.call_args_list])
        with mock.patch.object(keras.optimizers.Adam, "update_step", adam._update_step):
            expected, expected_weights = train("cnn", on_the_core(), "adam")
        self.assertEqual(ours.losses, expected.losses)
        for a, b in zip(weights, expected_weights):
            np.testing.assert_array_equal(a, b)

    def test_a_step_s_tensors_stay_on_the_core(self):
        trained, _ = train("cnn", on_the_core(), "adam", metrics=["accuracy"])
        # What comes and goes: the batch, logs, and counters in int64.
        self.assertLessEqual(trained.copies[-1] - trained.copies[-2], 16)

    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for device in ("model", "rtl"):
                path = os.path.join(folder, device + ".npz")
                run(device, "--record", path)
                results.append(dict(np.load(path)))
        on_model, on_rtl = results
        self.assertEqual(on_model.keys(), on_rtl.keys())
        self.assertGreater(on_model["cnn clocks"].min(), 0)
        for key in on_model:
            np.testing.assert_array_equal(on_model[key], on_rtl[key], err_msg=key)

    def test_many_fits_that_leave_their_data_unread_survive(self):
        for strategy in (on_the_core(), on_the_cpu()):
            with strategy.scope():
                trained = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(3)])
                trained.compile("sgd", "mse")
            for _ in range(30):
                trained.fit(np.zeros((40, 6)), np.zeros((40, 3)), 4, steps_per_epoch=2, verbose=0)

    def test_compile_needs_neither_a_strategy_nor_jit_compile(self):
        before = total()
        with tf.device("/SYSTOLE:0"):
            trained = model("mlp")
            trained.compile("adam", "mse")
            trained.fit(data()[0], np.zeros((STEPS * BATCH, 3)), batch_size=BATCH, verbose=0)
        self.assertFalse(trained.jit_compile)
        self.assertEqual(total()[0] - before[0], STEPS * MODELS["mlp"])


class CloudTpu(unittest.TestCase):
    def test_its_program_runs_on_one_core_and_on_several(self):
        for cores in (1, 2, 8):
            with self.subTest(cores=cores):
                calls, products, replicas = run(f"model:{cores}", "--cloud").split()
                self.assertEqual(int(replicas), cores)
                self.assertEqual(calls, products)
                self.assertEqual(int(calls), cores * STEPS * MODELS["cnn"])

    def test_predictions_of_a_last_batch_that_leaves_a_core_empty_are_the_cpu_s(self):
        self.assertEqual(run("model:2", "--predict"), "[1, 8, 17]\n" * len(MODELS))

    def test_a_resolver_refuses_devices_that_this_build_lacks(self):
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver
        with self.assertRaisesRegex(ValueError, "not connected to a TPU runtime: unknown device 'v5'"):
            resolver("v5")
        self.assertEqual(resolver(tpu="").num_accelerators(), {"TPU": 1})

    def test_what_notebooks_ask_of_a_tpu_has_an_answer(self):
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver("grpc://" + os.environ["COLAB_TPU_ADDR"])
        self.assertEqual(resolver.cluster_spec().as_dict(), {"worker": ["localhost"]})
        topology = tf.tpu.experimental.initialize_tpu_system(resolver)
        self.assertEqual((topology.num_tasks, topology.num_tpus_per_task), (1, 1))
        build = tf.tpu.experimental.DeviceAssignment.build
        strategy = tf.distribute.TPUStrategy(resolver, build(topology, num_replicas=1))
        self.assertIsInstance(strategy, tf.distribute.TPUStrategy)
        self.assertIsInstance(strategy, tf.distribute.experimental.TPUStrategy)
        self.assertNotIsInstance(on_the_core(), tf.distribute.TPUStrategy)
        self.assertIs(strategy.cluster_resolver, resolver)
        self.assertEqual((strategy.extended.num_hosts, strategy.num_replicas_in_sync), (1, 1))
        self.assertEqual(
            tf.config.experimental.list_logical_devices("TPU"), tf.config.list_logical_devices("TPU")
        )
        self.assertEqual(len(tf.config.list_logical_devices("TPU")), 1)


def record(path):
    results = {}
    for name in MODELS:
        trained, weights = train(name, on_the_core())
        results |= {f"{name} losses": trained.losses, f"{name} clocks": trained.clocks}
        results |= {f"{name} {i}": values for i, values in enumerate(weights)}
    np.savez(path, **results)


def cloud_program():
    """As people write it for a Cloud TPU."""
    strategy = cloud_tpu.strategy()
    trained, _ = train("cnn", strategy, "adam", metrics=["sparse_categorical_accuracy"])
    assert len(trained.losses) == STEPS and len(tf.config.list_logical_devices("TPU")) == len(tf.counters())
    calls, products, _, _ = total()
    print(calls, products, strategy.num_replicas_in_sync)


def predict():
    """Prints how many rows a TPU program's predictions have."""
    strategy = cloud_tpu.strategy()
    images = data()[0]
    for name in MODELS:
        with strategy.scope():
            ours = model(name)
        with on_the_cpu().scope():
            cpu = model(name)
        cpu.set_weights(ours.get_weights())
        counts = []
        for rows in (1, 8, 17):
            predicted = ours.predict(images[:rows], batch_size=8, verbose=0)
            expected = cpu.predict(images[:rows], batch_size=8, verbose=0)
            np.testing.assert_allclose(predicted, expected, atol=BF16_TOLERANCE * np.abs(expected).max())
            counts.append(len(predicted))
        print(counts)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record(sys.argv[2])
    elif sys.argv[1:] == ["--cloud"]:
        cloud_program()
    elif sys.argv[1:] == ["--predict"]:
        predict()
    else:
        unittest.main()
