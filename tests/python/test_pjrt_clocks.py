"""Steps of Keras on JAX's platform `systole` beside those of the C++ library: the clocks, and the state's bits."""

import os
import unittest

os.environ["KERAS_BACKEND"] = "jax"

import jax
import keras
import numpy as np

import systole

BF16_TOLERANCE = 2.0**-6
# systole train MODEL --steps-per-execution 1 --array 16 --device model, a step of three: at batch 128
# for mnist-mlp, and at batch 2.
LIBRARY_CLOCKS = {"mnist-mlp": 723_123, "cifar10-cnn": 730_431}


def keras_step(name):
    """A step of Keras on JAX as its guide writes it, its state, and a function that makes batches."""
    layers = keras.layers

    def convolution(filters, pool):
        return [
            layers.Conv2D(filters, 3, padding="same"),
            *([layers.MaxPooling2D()] if pool else []),
            layers.BatchNormalization(momentum=0.9),
            layers.Activation("relu"),
        ]

    keras.utils.set_random_seed(1)
    if name == "mnist-mlp":
        shape, body = (28, 28, 1), [layers.Flatten(), layers.Dense(512, activation="relu")]
    else:
        filters = ((32, True), (64, True), (96, False), (96, True))
        shape, body = (32, 32, 3), sum((convolution(*of) for of in filters), [])
        body += [layers.Flatten(), layers.Dropout(0.4)]
    model = keras.Sequential([layers.Input(shape), *body, layers.Dense(10)])
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(0.001)
    optimizer.build(model.trainable_variables)

    def loss_and_updates(trained, rest, x, labels):
        scores, rest = model.stateless_call(trained, rest, x, training=True)
        return loss_of(labels, scores), rest

    def step(state, x, labels):
        trained, rest, slots = state
        gradient = jax.value_and_grad(loss_and_updates, has_aux=True)
        (loss, rest), gradients = gradient(trained, rest, x, labels)
        trained, slots = optimizer.stateless_apply(slots, gradients, trained)
        return loss, (trained, rest, slots)

    variables = model.trainable_variables, model.non_trainable_variables, optimizer.variables
    state = tuple([variable.value for variable in group] for group in variables)

    def batch(rows):
        random = np.random.default_rng(0)
        return random.random((rows, *shape), "float32"), np.arange(rows, dtype="int32") % 10

    return step, state, batch


class Steps(unittest.TestCase):
    def test_they_take_the_library_s_clocks(self):
        cpu = jax.devices("cpu")[0]
        for name, rows, products in (("mnist-mlp", 128, 5), ("cifar10-cnn", 2, 14)):
            with self.subTest(model=name):
                step, state, batch = keras_step(name)
                compiled, on_cpu = jax.jit(step, donate_argnums=0), jax.jit(step)
                theirs = jax.device_put(state, cpu)
                first = None
                for _ in range(2):
                    expected, theirs = on_cpu(theirs, *jax.device_put(batch(rows), cpu))
                    loss, state = compiled(state, *batch(rows))
                    # Of the first loss: a batch of two is soon learnt, and later ones are near 0.
                    first = first or float(expected)
                    self.assertAlmostEqual(float(loss), float(expected), delta=BF16_TOLERANCE * first)
                done = systole.last_step()
                self.assertEqual((done.products, done.on_host), (products, ""))
                self.assertLess(abs(done.clocks / LIBRARY_CLOCKS[name] - 1), 0.1, done.clocks)
                # What counts steps and draws random numbers is JAX's to the bit.
                for ours, jaxs in zip(jax.tree.leaves(state), jax.tree.leaves(theirs)):
                    if ours.dtype != np.float32:
                        np.testing.assert_array_equal(ours, jaxs)


if __name__ == "__main__":
    unittest.main()
