"""Prints the programs of this folder with JAX: python3 make.py FOLDER."""

import pathlib
import sys

import jax
import jax.numpy as jnp


def cross_entropy(logits, labels):
    def loss(logits):
        scores = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(scores)

    return jax.value_and_grad(loss)(logits)


def scan(weight, inputs):
    def cell(state, x):
        state = jnp.tanh(state * weight + x)
        return state, state

    return jax.lax.scan(cell, jnp.zeros(2), inputs)


PROGRAMS = {
    "cross_entropy": (cross_entropy, (jnp.zeros((2, 3)), jnp.zeros(2, jnp.int32))),
    "scan": (scan, (jnp.float32(0), jnp.zeros((3, 2)))),
}

for name, (function, arguments) in PROGRAMS.items():
    text = jax.jit(function).lower(*arguments).as_text()
    pathlib.Path(sys.argv[1], name + ".mlir").write_text(text)
