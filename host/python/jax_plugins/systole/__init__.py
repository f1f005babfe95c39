"""JAX finds this module and calls initialize() before its first operation."""

import os

import jax


def initialize():
    """Registers the platform `systole` where JAX is asked for it (docs/python.md): by $JAX_PLATFORMS, or, if
    that names no platform, by $SYSTOLE_DEVICE."""
    platforms = jax.config.jax_platforms or ("systole" if os.environ.get("SYSTOLE_DEVICE") else "")
    if "systole" in platforms.split(","):
        import systole.pjrt

        systole.pjrt.register()
