"""Systole from Python: JAX training steps on the CPU, the model and the RTL (docs/python.md)."""

from systole.device import Device, Step, configurations, devices, last_step
from systole.jit import jit
from systole.library import DeviceError, ForkedError, InvalidArgument, SystoleError, version
from systole.program import Port, Program

__all__ = [
    "Device",
    "DeviceError",
    "ForkedError",
    "InvalidArgument",
    "Port",
    "Program",
    "Step",
    "SystoleError",
    "configurations",
    "devices",
    "jit",
    "last_step",
    "version",
]
