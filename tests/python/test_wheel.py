"""What a wheel holds works alone: the library, the package, and the plugins of TensorFlow and JAX."""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

from scikit_build_core.build import prepare_metadata_for_build_wheel

import systole

SOURCE = pathlib.Path(__file__).parents[2]
TENSORFLOW = """
import pathlib
import systole.tensorflow as tf
import systole
assert pathlib.Path(systole.library.lib._name).parent == pathlib.Path(systole.__file__).parent
with tf.device("/SYSTOLE:0"):
    assert tf.matmul([[2.0]], [[3.0]]).numpy() == 6
assert tf.counters()[0].calls == 1
"""
PJRT = """
import jax, jax.numpy as jnp
assert jax.devices()[0].platform == "systole"
assert float(jnp.array([2.0]) @ jnp.array([3.0])) == 6
import systole
assert systole.last_step().products == 1
"""


class Wheel(unittest.TestCase):
    def test_its_library_and_plugins_find_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            build = ["cmake", "--install", os.environ["SYSTOLE_BUILD"], "--component", "python"]
            subprocess.run([*build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
            for package in ("systole", "jax_plugins"):
                shutil.copytree(
                    SOURCE / "host" / "python" / package, pathlib.Path(folder, package), dirs_exist_ok=True
                )
            environment = {**os.environ, "PYTHONPATH": folder}
            del environment["SYSTOLE_LIBRARY"]
            subprocess.run([sys.executable, "-c", TENSORFLOW], env=environment, cwd=folder, check=True)
            environment["JAX_PLATFORMS"] = "systole"
            subprocess.run([sys.executable, "-c", PJRT], env=environment, cwd=folder, check=True)

    def test_its_version_is_the_library_s(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(SOURCE):
            with contextlib.redirect_stdout(io.StringIO()):
                made = prepare_metadata_for_build_wheel(folder)
            self.assertEqual(made, f"systole-{systole.version()}.dist-info")
            entries = pathlib.Path(folder, made, "entry_points.txt").read_text()
            self.assertIn("[jax_plugins]\nsystole = jax_plugins.systole", entries)

    def test_its_instructions_are_not_this_machine_s(self):
        defines = tomllib.loads((SOURCE / "pyproject.toml").read_text())["tool"]["scikit-build"]["cmake"]["define"]
        self.assertEqual([defines["SYSTOLE_NATIVE"], defines["CMAKE_CXX_FLAGS"]], [False, "-march=x86-64-v3"])


if __name__ == "__main__":
    unittest.main()
