"""Writes the artifacts of this folder, and what JAX prints of the same programs.

    JAX_PLATFORMS=cpu build/frameworks/bin/python tests/graph/artifacts/make.py
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import mlir

FOLDER = pathlib.Path(__file__).parent


def step(weight, bias, x, labels):
    """A step whose weight is donated, with an accuracy."""

    def loss(weight, bias):
        scores = jax.nn.log_softmax(jax.nn.relu(x @ weight + bias))
        picked = jnp.take_along_axis(scores, labels[:, None], axis=1)
        return -picked.mean(), (scores.argmax(-1) == labels).mean()

    (value, accuracy), (d_weight, d_bias) = jax.value_and_grad(loss, (0, 1), has_aux=True)(weight, bias)
    return value, accuracy, weight - 0.5 * d_weight, bias - 0.5 * d_bias


def images(x, kernel):
    """Convolution and pooling with their gradients."""

    def total(x, kernel):
        y = jax.lax.conv_general_dilated(x, kernel, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return (y * y).sum()

    return jax.grad(total, (0, 1))(x, kernel)


def choices(x, which):
    """A loop that counts, a choice of three, a function that is called twice, an erf."""

    @jax.jit
    def twice(x):
        return 2 * x + jax.lax.erf(x)

    x = jax.lax.fori_loop(0, 3, lambda i, x: x + i.astype(x.dtype), x)
    x = jax.lax.switch(which, [lambda x: -x, twice, lambda x: twice(x) * x], x)
    mask = jnp.array([True, False, True, True, False, False, True, False, True, False])
    return jnp.where(mask, x, jnp.flip(x)), jax.lax.cond(which > 0, jnp.sum, jnp.max, x)


def words(key):
    """Random words and numbers, counted in ui64."""
    return jax.random.bits(key, (3, 2)), jax.random.uniform(key, (5,))


def loops(x, limit):
    """A loop whose end depends on data, with a counted one within, and a reduction of two operands."""

    def body(x):
        return jax.lax.fori_loop(0, 3, lambda i, x: 1.5 * x + i.astype(x.dtype), jnp.exp(-x))

    def better(a, b):
        wins = a[0] * a[0] > b[0] * b[0]
        return jnp.where(wins, a[0], b[0]), jnp.where(wins, a[1], b[1])

    x = jax.lax.while_loop(lambda x: x.sum() < limit, body, x)
    places = jnp.arange(x.size, dtype=jnp.int32)
    return x, *jax.lax.reduce((x, places), (np.float32(0), np.int32(-1)), better, (0,))


def write(function, *arguments, version="1.0.0", **options):
    lowered = jax.jit(function, **options).lower(*arguments)
    name = FOLDER / function.__name__
    artifact = mlir.serialize_portable_artifact(lowered.compiler_ir("stablehlo"), version)
    name.with_suffix(".mlirbc").write_bytes(artifact)
    if function not in (words, loops):  # a text has no ui64, and no such loops
        name.with_suffix(".mlir").write_text(lowered.as_text())


zeros = np.zeros
write(step, zeros((3, 4), "f4"), zeros(4, "f4"), zeros((6, 3), "f4"), zeros(6, "i4"), donate_argnums=0)
write(images, zeros((2, 8, 6, 2), "f4"), zeros((3, 3, 2, 3), "f4"))
write(choices, zeros(10, "f4"), np.int32(1))
write(words, jax.random.key_data(jax.random.key(0)))
write(loops, zeros(3, "f4"), np.float32(1), version="1.13.0")
