"""JAX finds this module and calls initialize() before its first operation."""

import os


def initialize():
    """Puts products and convolutions on Systole if $SYSTOLE_DEVICE names a device."""
    if os.environ.get("SYSTOLE_DEVICE"):
        import systole.jax  # noqa: F401
