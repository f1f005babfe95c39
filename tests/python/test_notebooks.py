"""The notebooks run from their first cell to their last, with few steps, and show what they claim."""

import copy
import os
import pathlib
import re
import tempfile
import unittest

import nbclient
import nbformat

NOTEBOOKS = pathlib.Path(__file__).parents[2] / "host" / "python" / "notebooks"
FASHION_MNIST = pathlib.Path("/usr/share/datasets/fashion-mnist")


def read(name):
    return nbformat.read(NOTEBOOKS / name, as_version=4)


def with_parameters(notebook, source):
    """The notebook with another cell of parameters."""
    notebook = copy.deepcopy(notebook)
    (cell,) = (cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    cell.source = source
    return notebook


def run(notebook, folder):
    """The text and the SVGs that each code cell shows."""
    resources = {"metadata": {"path": folder}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    shown = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            text = "".join(one.text for one in cell.outputs if one.output_type == "stream")
            data = [one.data for one in cell.outputs if one.output_type == "display_data"]
            shown.append((text, [one["image/svg+xml"] for one in data if "image/svg+xml" in one]))
    return shown


def find_systole():
    """Puts the program on the path, which notebooks run for the report."""
    os.environ["PATH"] = f"{pathlib.Path(os.environ['SYSTOLE']).parent}:{os.environ['PATH']}"


class FashionMnist(unittest.TestCase):
    @unittest.skipUnless(FASHION_MNIST.is_dir(), f"no {FASHION_MNIST}: run scripts/setup")
    def test_it_trains_on_the_core_and_says_why_the_winner_wins(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder, "keras", "datasets")
            data.mkdir(parents=True)
            (data / "fashion-mnist").symlink_to(FASHION_MNIST)
            os.environ["KERAS_HOME"] = str(data.parent)
            find_systole()
            notebook = with_parameters(
                read("fashion_mnist.ipynb"), "EPOCHS, STEPS, BATCH = 1, 2, 16\nTEST = 32"
            )
            shown = run(notebook, folder)
            text = "".join(words for words, _ in shown)
            self.assertIn("14 calls, 14 products, 14 expected", text)
            self.assertRegex(text, r"clocks: [0-9.]+ - .*stall_load: [0-9.]+")
            self.assertLess(float(re.search(r"Losses differ by ([0-9.]+)%", text)[1]), 1.6)
            self.assertRegex(text, "Batch size 16: the (device|CPU) wins, [0-9.]+ times as fast")
            self.assertRegex(text, r"Array: 6.4 GFLOP/s at most, [1-9][0-9]?% of it used")
            figures = [svg for _, svgs in shown for svg in svgs]
            self.assertEqual(len(figures), 2)
            for figure in figures:
                self.assertTrue(figure.rstrip().endswith("</svg>"))

    def test_only_the_import_differs_from_a_program_for_a_cloud_tpu(self):
        sources = [cell.source for cell in read("fashion_mnist.ipynb").cells if cell.cell_type == "code"]
        self.assertEqual(sources[0], "import systole.tensorflow as tf  # import tensorflow as tf")
        trained = next(i for i, source in enumerate(sources) if "model.fit" in source)
        for source in sources[1 : trained + 1]:
            self.assertNotRegex(source, "(?i)systole|Recorder|counters")


class WithAndWithout(unittest.TestCase):
    """run_with_tpu and run_without_tpu, on few images that no download has to bring."""

    def images(self, name, load, shape, products):
        parameters = f"""
EPOCHS, STEPS, BATCH, TEST = 1, 2, 4, 4

def load():
    import numpy
    random = numpy.random.default_rng(1)
    labels = numpy.arange(8)
    images = random.integers(0, 128, (8, *{shape})) + 12 * labels.reshape(-1, *[1] * len({shape}))
    return (images, labels), (images, labels)

tf.keras.datasets.{load}.load_data = load
"""
        self.check(name, parameters, products)

    def check(self, name, parameters, products):
        find_systole()
        with tempfile.TemporaryDirectory() as folder:
            shown = run(with_parameters(read(name), parameters), folder)
        text = "".join(words for words, _ in shown)
        self.assertIn(f"The core ran {products} products and convolutions, {products} expected.", text)
        self.assertLess(float(re.search(r"Losses differ by ([0-9.]+)%", text)[1]), 1.6)
        self.assertRegex(text, "Batch size 4: the (device|CPU) wins, [0-9.]+ times as fast")
        self.assertRegex(text, r"Array: 6.4 GFLOP/s at most, [1-9][0-9]?% of it used")
        self.assertEqual(len([svg for _, svgs in shown for svg in svgs]), 2)
        return text

    def test_mnist(self):
        self.images("mnist.ipynb", "mnist", (28, 28), products=2 * 5 + 2)

    def test_cifar10(self):
        self.images("cifar10.ipynb", "cifar10", (32, 32, 3), products=2 * 14 + 5)

    def test_translation(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder, "spa-eng")
            data.mkdir()
            lines = (
                f"{who} {done} {what}.\t{quien} {hecho} {que}."
                for who, quien in (("Tom", "Tom"), ("Mary", "María"), ("She", "Ella"))
                for done, hecho in (("sees", "ve"), ("doesn't see", "no ve"))
                for what, que in (("it", "eso"), ("him", "a él"), ("a very big old red house", "una casa"))
            )
            data.joinpath("spa.txt").write_text("\n".join(lines))
            os.environ["SYSTOLE_DATA_DIR"] = folder
            parameters = """
EPOCHS, STEPS, BATCH, TEST = 1, 2, 4, 4
UNITS, VOCABULARY, MAX_WORDS = 8, 20, 6
"""
            # Forward: two products for each of 6 words read and 7 written, and those of five layers.
            text = self.check("translation.ipynb", parameters, products=2 * (3 * 31 - 1) + 31)
        self.assertIn("8 pairs to learn from, 4 to test with", text)
        self.assertEqual(len(re.findall(r" -> .* \(reference: \S", text)), 4)
        self.assertNotIn("house", text)  # of seven words and more


if __name__ == "__main__":
    unittest.main()
