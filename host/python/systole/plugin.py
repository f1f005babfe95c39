"""TensorFlow's plugin: the cores of this process as its devices SYSTOLE:0, SYSTOLE:1, ..."""

import ctypes
import os
import pathlib

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import load_library

from systole import library
from systole.device import Device
from systole.library import InvalidArgument

DEVICE_TYPE = "SYSTOLE"


class Counters(ctypes.Structure):
    """systole_tensorflow_counters of host/python/plugin/counters.h."""

    _fields_ = [
        ("core", library.Info),
        ("done", library.Step),
        ("calls", ctypes.c_uint64),
        ("to_core", ctypes.c_uint64),
        ("from_core", ctypes.c_uint64),
    ]


def _load_plugin():
    """TensorFlow itself has loaded what lies in tensorflow-plugins."""
    name = "libsystole_tensorflow.so"
    installed = pathlib.Path(__file__).parents[1] / "tensorflow-plugins" / name
    built = pathlib.Path(library.lib._name).with_name(name)
    path = installed if installed.exists() else built
    if not path.exists():
        raise ImportError(
            f"{path} does not exist: run scripts/setup, which installs TensorFlow, and build the "
            "target systole_tensorflow"
        )
    if not tf.config.list_physical_devices(DEVICE_TYPE):
        load_library.load_pluggable_device_library(str(path))
    plugin = ctypes.CDLL(str(path))
    plugin.systole_tensorflow_count.argtypes = [ctypes.c_int32, ctypes.POINTER(Counters)]
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


def configure(device="model", *, cores=1, configuration=None, array_size=0, threads=0, precision=None):
    """Chooses the device of this process's cores, before TensorFlow's first operation.

    cores   1 to 8; the others are those of systole.Device
    Errors  InvalidArgument; RuntimeError after TensorFlow has opened its devices
    """
    if not 1 <= cores <= 8:
        raise InvalidArgument(f"{cores} cores: a process has 1 to 8")
    Device(
        device,
        configuration=configuration,
        array_size=array_size,
        threads=threads,
        precision=precision,
    )
    if context.context()._initialized:
        raise RuntimeError(
            "TensorFlow has already opened its devices: configure them before its first operation"
        )
    chosen = {
        "SYSTOLE_DEVICE": f"{device}:{cores}",
        "SYSTOLE_CONFIGURATION": configuration,
        "SYSTOLE_ARRAY_SIZE": array_size,
        "SYSTOLE_THREADS": threads,
        "SYSTOLE_PRECISION": precision,
    }
    for variable, value in chosen.items():
        os.environ[variable] = str(value or "")
    context.context().reinitialize_physical_devices()
