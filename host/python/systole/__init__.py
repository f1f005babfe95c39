"""Systole from Python: JAX, TensorFlow and Keras on the CPU, the model and the RTL (docs/python.md)."""

from systole.device import Device, Step, configurations, devices, last_step
from systole.fallback_counts import fallbacks
from systole.library import (
    DeviceError,
    ForkedError,
    InvalidArgument,
    OutOfMemory,
    SystoleError,
    version,
)
from systole.program import Port, Program, Resident

__all__ = [
    "Device",
    "DeviceError",
    "ForkedError",
    "InvalidArgument",
    "OutOfMemory",
    "Port",
    "Program",
    "Resident",
    "Step",
    "SystoleError",
    "configurations",
    "devices",
    "fallbacks",
    "jit",
    "last_step",
    "version",
]


def __getattr__(name):
    if name != "jit":  # needs JAX, which TensorFlow's users may not have
        raise AttributeError(f"module 'systole' has no attribute '{name}'")
    from systole.jit import jit

    globals()["jit"] = jit  # instead of the module, which the import put there
    return jit
