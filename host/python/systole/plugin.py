"""TensorFlow's plugin: the cores of this process as its devices SYSTOLE:0, SYSTOLE:1, ..."""

import ctypes
import os
import pathlib

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import config, load_library

from systole import library
from systole.device import cores_environment
from systole.library import Counters

DEVICE_TYPE = "SYSTOLE"


def _load_plugin():
    """TensorFlow itself has loaded what lies in tensorflow-plugins."""
    folder = pathlib.Path(__file__).parents[1] / "tensorflow-plugins"
    path = library.plugin("tensorflow", folder)
    if not tf.config.list_physical_devices(DEVICE_TYPE):
        load_library.load_pluggable_device_library(str(path))
    plugin = ctypes.CDLL(str(path))
    plugin.systole_tensorflow_count.argtypes = [ctypes.c_int32, ctypes.POINTER(Counters)]
    plugin.systole_tensorflow_ask.argtypes = [ctypes.c_int64]
    return plugin


_plugin = _load_plugin()


def counters():
    """The Counters of each open core, since it was opened."""
    result = []
    for core in range(len(tf.config.list_physical_devices(DEVICE_TYPE))):
        counted = Counters()
        if _plugin.systole_tensorflow_count(core, ctypes.byref(counted)) == 0:
            result.append(counted)
    return result


def configure(device="model", *, cores=1, **options):
    """Chooses the device of this process's cores, before TensorFlow's first operation.

    cores   1 to 8; the options are those of systole.Device
    Errors  InvalidArgument; RuntimeError after TensorFlow has opened its devices
    """
    environment = cores_environment(device, cores, **options)
    if context.context()._initialized:
        raise RuntimeError(
            "TensorFlow has already opened its devices: configure them before its first operation"
        )
    os.environ.update(environment)
    context.context().reinitialize_physical_devices()


_enable_tensor_float_32 = config.enable_tensor_float_32_execution


def enable_tensor_float_32_execution(enabled):
    """As TensorFlow's. Without it, products have float32's precision: six products of bf16 numbers each."""
    _enable_tensor_float_32(enabled)
    _plugin.systole_tensorflow_ask(1 if enabled else 6)


def install():
    enable_tensor_float_32_execution(config.tensor_float_32_execution_enabled())
    for module in (config, tf.config.experimental):
        module.enable_tensor_float_32_execution = enable_tensor_float_32_execution
