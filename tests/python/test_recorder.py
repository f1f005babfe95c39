"""The recorder counts a Keras training's steps, and `systole report` reads what it writes."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import systole
import systole.tensorflow as tf

keras = tf.keras
STEPS, BATCH, SAMPLES = 3, 12, 30  # the last batch has 6
PRODUCTS = 5  # of a step: two layers forward, their weights' gradients, one input's gradient
CAUSES = ["stall_" + cause for cause in systole.device.STALLS]


def data():
    random = np.random.default_rng(2)
    labels = np.arange(SAMPLES) % 3
    return (random.normal(size=(SAMPLES, 20)) + labels[:, None]).astype(np.float32), labels


def model(strategy=None, learning_rate=0.1, **options):
    with (strategy or on("/SYSTOLE:0")).scope():
        keras.utils.set_random_seed(1)
        layers = [keras.layers.Dense(9, activation="relu"), keras.layers.Dense(3)]
        built = keras.Sequential([keras.layers.Input((20,)), *layers])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        built.compile(keras.optimizers.SGD(learning_rate), loss, **{"metrics": ["accuracy"], **options})
    return built


def on(device):
    return tf.distribute.OneDeviceStrategy(device)


def fit(trained, recorder, epochs=1, **options):
    options = {"batch_size": BATCH, "shuffle": False, "verbose": 0, **options}
    return trained.fit(*data(), epochs=epochs, callbacks=[recorder], **options)


def recorder(path=None):
    return tf.Recorder(path, model="mlp", dataset="clouds")


def train(path, strategy=None):
    recorded = recorder(path)
    fit(model(strategy), recorded, epochs=2, validation_data=data())
    return recorded


def in_another_process(device, path):
    environment = {**os.environ, "SYSTOLE_DEVICE": device}
    subprocess.run([sys.executable, __file__, "--train", path], env=environment, check=True)


def report(*words):
    return subprocess.run([os.environ["SYSTOLE"], "report", *words], capture_output=True, text=True)


class Steps(unittest.TestCase):
    def test_they_are_what_the_cores_counted_without_validation(self):
        before = tf.counters()[0].done if tf.counters() else systole.library.Step()
        recorded = recorder()
        history = fit(model(), recorded, epochs=2).history
        after = tf.counters()[0].done
        self.assertEqual(len(recorded.steps), 2 * STEPS)
        for name in ("clocks", "products", "macs"):
            counted = sum(getattr(step, name) for step in recorded.steps)
            self.assertEqual(counted, getattr(after, name) - getattr(before, name), name)
        self.assertEqual({step.products for step in recorded.steps}, {PRODUCTS})
        self.assertIs(systole.last_step(), recorded.steps[-1])
        for i, epoch in enumerate((recorded.steps[:STEPS], recorded.steps[STEPS:])):
            clocks = sum(step.clocks for step in epoch)
            self.assertAlmostEqual(history["clocks"][i], clocks / STEPS)
            used = sum(step.macs for step in epoch) / (clocks * 4 * 4)
            self.assertAlmostEqual(history["utilization"][i], used)
            waits = sum(history[cause][i] for cause in CAUSES)
            self.assertTrue(0 < waits < 1 and used + waits <= 1)
        fit(model(), recorded, validation_data=data())
        self.assertEqual({step.products for step in recorded.steps}, {PRODUCTS})

    def test_the_progress_bar_shows_clocks_utilization_and_stalls(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            fit(model(), recorder(), verbose=1)
        for name in ("clocks", "utilization", *CAUSES):
            self.assertRegex(output.getvalue(), f"- {name}: [0-9.]+")

    def test_losses_are_each_batch_s_own(self):
        recorded = recorder()
        trained = model(learning_rate=0.0)
        fit(trained, recorded, epochs=2)
        images, labels = data()
        for step in range(STEPS):
            batch = slice(BATCH * step, BATCH * (step + 1))
            loss = trained.evaluate(images[batch], labels[batch], verbose=0)[0]
            self.assertAlmostEqual(recorded.losses[step], loss, places=5)
            self.assertAlmostEqual(recorded.losses[STEPS + step], loss, places=5)

    def test_tensorflow_s_cpu_counts_no_clocks(self):
        recorded = recorder()
        history = fit(model(on("/CPU:0")), recorded).history
        self.assertNotIn("clocks", history)
        self.assertEqual((recorded.steps[0].device, recorded.steps[0].clocks), ("tensorflow", 0))

    def test_refusals_say_what_a_record_needs(self):
        with self.assertRaisesRegex(ValueError, "a record needs names"):
            tf.Recorder("run.json")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            with self.assertRaisesRegex(ValueError, r"metrics=\['accuracy'\]"):
                fit(model(metrics=[]), recorder(path))
            with self.assertRaisesRegex(ValueError, "steps_per_execution=1"):
                fit(model(steps_per_execution=2), recorder(path))
            self.assertFalse(path.exists())


class Record(unittest.TestCase):
    def test_systole_report_compares_tensorflow_s_cpu_the_model_and_the_rtl(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ("cpu.json", "model.json", "rtl.json", "page.html")
            cpu, on_model, on_rtl, page = (os.path.join(folder, name) for name in names)
            train(cpu, on("/CPU:0"))
            recorded = train(on_model)
            in_another_process("rtl", on_rtl)
            written = json.loads(pathlib.Path(on_model).read_text())
            self.assertEqual(written["cycles"], sum(step.clocks for step in recorded.steps))
            self.assertEqual((written["samples"], written["config"]["batch_size"]), (SAMPLES, BATCH))
            self.assertEqual(written["config"]["steps_per_epoch"], STEPS)
            self.assertEqual([len(written[key]) for key in ("losses", "epochs")], [2 * STEPS, 2])
            self.assertEqual(written["parameter_count"], 20 * 9 + 9 + 9 * 3 + 3)

            done = report(cpu, on_model, on_rtl, "--output", page)
            self.assertEqual((done.returncode, done.stderr.count("systole: ")), (0, 0), done.stderr)
            text = pathlib.Path(page).read_text()
            self.assertIn("mlp on clouds", text)
            self.assertIn("model and rtl agree to the last bit at batch size 12: 6 losses", text)
            self.assertIn("wins at batch size 12, the only one tried", text)
            self.assertRegex(text, "tensorflow, [0-9]+ threads?, fp32: run its program in tensorflow 2")
            self.assertNotIn("systole compare", text)
            self.assertNotIn("the CPU&#39;s products did", text)

    def test_several_cores_count_together(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.json")
            in_another_process("model:2", path)
            written = json.loads(pathlib.Path(path).read_text())
            self.assertEqual(written["cores"]["count"], 2)
            self.assertEqual(sum(written["cores"]["cycles"]), written["cycles"])
            self.assertLess(written["cores"]["slowest_cycles"], written["cycles"])
            self.assertEqual(written["config"]["batch_size"], BATCH)
            page = os.path.join(folder, "page.html")
            self.assertEqual(report(path, "--output", page).returncode, 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        tf.config.list_logical_devices()
        train(sys.argv[2], tf.distribute.TPUStrategy())
    else:
        unittest.main()
