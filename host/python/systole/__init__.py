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
from systole.program import Port, Program

__all__ = [
    "Device",
    "DeviceError",
    "ForkedError",
    "InvalidArgument",
    "OutOfMemory",
    "Port",
    "Program",
    "Step",
    "SystoleError",
    "configurations",
    "devices",
    "fallbacks",
    "last_step",
    "version",
]
