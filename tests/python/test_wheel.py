"""What a wheel holds works without variables: the library, the package and TensorFlow's plugin."""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from scikit_build_core.build import prepare_metadata_for_build_wheel

import systole

SOURCE = pathlib.Path(__file__).parents[2]
PROGRAM = """
import pathlib
import systole.tensorflow as tf
import systole
assert pathlib.Path(systole.library.lib._name).parent == pathlib.Path(systole.__file__).parent
with tf.device("/SYSTOLE:0"):
    assert tf.matmul([[2.0]], [[3.0]]).numpy() == 6
assert tf.counters()[0].calls == 1
"""


class Wheel(unittest.TestCase):
    def test_its_library_and_plugin_find_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            build = ["cmake", "--install", os.environ["SYSTOLE_BUILD"], "--component", "python"]
            subprocess.run([*build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
            shutil.copytree(
                SOURCE / "host" / "python" / "systole", pathlib.Path(folder, "systole"), dirs_exist_ok=True
            )
            environment = {**os.environ, "PYTHONPATH": folder}
            del environment["SYSTOLE_LIBRARY"]
            subprocess.run([sys.executable, "-c", PROGRAM], env=environment, cwd=folder, check=True)

    def test_its_version_is_the_library_s(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(SOURCE):
            with contextlib.redirect_stdout(io.StringIO()):
                made = prepare_metadata_for_build_wheel(folder)
            self.assertEqual(made, f"systole-{systole.version()}.dist-info")


if __name__ == "__main__":
    unittest.main()
