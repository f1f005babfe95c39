"""JAX finds this module and calls initialize() before its first operation."""

import os

import jax


def initialize():
    """Registers the platform `systole` where JAX is asked for it (docs/pjrt.md).

    Else it puts products and convolutions on Systole if $SYSTOLE_DEVICE names a device.
    """
    if "systole" in (jax.config.jax_platforms or "").split(","):
        import systole.pjrt

        systole.pjrt.register()
    elif os.environ.get("SYSTOLE_DEVICE"):
        import systole.jax  # noqa: F401
