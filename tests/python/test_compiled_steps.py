"""systole.jit(whole=True): a traced step as one program of the device, whose state stays there."""

import functools
import gc
import os
import threading
import unittest

os.environ["KERAS_BACKEND"] = "jax"

import jax
import jax.numpy as jnp
import keras
import numpy as np

import systole
from test_jax import BF16_TOLERANCE, MODELS, adam_step, initial, sgd_step

# JAX's default bits count in 64-bit integers.
jax.config.update("jax_threefry_partitionable", False)

STEPS = 3
# systole train MODEL --steps-per-execution 1 --array 16 --device model, a step of three: at batch 128
# for mnist-mlp, and at batch 2.
LIBRARY_CLOCKS = {"mnist-mlp": 723_123, "cifar10-cnn": 730_431}


def whole(step, device="model", **options):
    return systole.jit(step, device, whole=True, donate_argnums=0, array_size=4, **options)


def train(jit, name, step, steps=STEPS):
    """Losses, the last state, and the clocks of each step."""
    model, params, data = MODELS[name]
    compiled = jit(functools.partial(step, model))
    state, losses, clocks = initial(step, params), [], []
    for _ in range(steps):
        loss, state = compiled(state, *data)
        losses.append(float(loss))
        clocks.append(systole.last_step() and systole.last_step().clocks)
    return losses, jax.tree.map(np.asarray, state), clocks


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


class WholeSteps(unittest.TestCase):
    def test_losses_are_jax_s_within_bf16(self):
        for name in ("mlp", "cnn"):
            for step in (sgd_step, adam_step):
                with self.subTest(model=name, step=step.__name__):
                    expected, expected_state, _ = train(jax.jit, name, step)
                    losses, state, clocks = train(whole, name, step)
                    np.testing.assert_allclose(losses, expected, rtol=BF16_TOLERANCE)
                    self.assertLess(losses[-1], losses[0])
                    self.assertEqual(jax.tree.structure(state), jax.tree.structure(expected_state))
                    for ours, theirs in zip(jax.tree.leaves(state), jax.tree.leaves(expected_state)):
                        self.assertEqual((ours.shape, ours.dtype), (theirs.shape, theirs.dtype))
                    self.assertEqual(min(clocks), max(clocks))  # depend on no data

    @unittest.skipUnless("rtl" in systole.devices(), "this build has no RTL")
    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        on_rtl = functools.partial(whole, device="rtl")
        for name, step in (("mlp", adam_step), ("cnn", sgd_step)):
            with self.subTest(model=name):
                losses, state, clocks = train(whole, name, step)
                rtl_losses, rtl_state, rtl_clocks = train(on_rtl, name, step)
                self.assertEqual(losses, rtl_losses)
                self.assertEqual(clocks, rtl_clocks)
                for model, rtl in zip(jax.tree.leaves(state), jax.tree.leaves(rtl_state)):
                    np.testing.assert_array_equal(model, rtl)

    def test_steps_of_keras_take_the_library_s_clocks(self):
        for name, rows, products in (("mnist-mlp", 128, 5), ("cifar10-cnn", 2, 14)):
            with self.subTest(model=name):
                step, state, batch = keras_step(name)
                expected, jax_state = [], state
                jitted = jax.jit(step)
                compiled = systole.jit(step, "model", whole=True, donate_argnums=0, array_size=16)
                for _ in range(2):
                    loss, jax_state = jitted(jax_state, *batch(rows))
                    expected.append(float(loss))
                    loss, state = compiled(state, *batch(rows))
                    # Of the first loss: a batch of two is soon learnt, and later ones are near 0.
                    tolerance = BF16_TOLERANCE * expected[0]
                    np.testing.assert_allclose(float(loss), expected[-1], atol=tolerance, rtol=0)
                done = systole.last_step()
                self.assertEqual(done.products, products)
                self.assertLess(abs(done.clocks / LIBRARY_CLOCKS[name] - 1), 0.1, done.clocks)
                # What counts steps and draws random numbers is JAX's to the bit.
                for ours, theirs in zip(jax.tree.leaves(state), jax.tree.leaves(jax_state)):
                    if ours.dtype != np.float32:
                        np.testing.assert_array_equal(ours, theirs)


class State(unittest.TestCase):
    compiled = staticmethod(whole)

    def setUp(self):
        def step(state, x):
            def loss(w):
                return jnp.sum((x @ w) ** 2)

            value, d_w = jax.value_and_grad(loss)(state["w"])
            return {"loss": value, "state": {"w": state["w"] - 0.125 * d_w, "n": state["n"] + 1}}

        self.step = self.compiled(step)
        self.state = {"w": np.ones((4, 3), np.float32), "n": jnp.int32(0)}
        self.x = np.eye(5, 4, dtype=np.float32)

    def test_it_stays_on_the_device_until_it_is_read(self):
        state = self.state
        for _ in range(2):
            state = self.step(state, self.x)["state"]
            self.assertIsInstance(state["w"], systole.Resident)
            self.assertEqual((state["w"].shape, state["w"].dtype), ((4, 3), np.float32))
        np.testing.assert_array_equal(state["w"], np.full((4, 3), 0.5625))
        np.testing.assert_array_equal(jnp.asarray(state["w"]) * 2, np.full((4, 3), 1.125))
        self.assertEqual(int(np.asarray(state["n"])), 2)
        self.assertIn("float32[4, 3] on model", repr(state["w"]))

    def test_a_consumed_array_is_refused_unless_it_was_read(self):
        first = self.step(self.state, self.x)["state"]
        np.asarray(first["w"])
        second = self.step(first, self.x)["state"]
        np.testing.assert_array_equal(first["w"], np.full((4, 3), 0.75))
        with self.assertRaisesRegex(systole.InvalidArgument, "was donated to a later step"):
            np.asarray(first["n"])
        with self.assertRaisesRegex(ValueError, "was donated to a later step"):
            self.step(first, self.x)
        # An array of one's own goes to the device again.
        third = self.step({"w": np.asarray(first["w"]), "n": second["n"]}, self.x)["state"]
        np.testing.assert_array_equal(third["w"], np.full((4, 3), 0.5625))
        self.assertEqual(int(np.asarray(third["n"])), 3)

    def test_another_shape_of_batch_takes_it_along(self):
        state = self.step(self.state, self.x)["state"]
        state = self.step(state, np.eye(2, 4, dtype=np.float32))["state"]
        state = self.step(state, self.x)["state"]
        rows = [[0.421875] * 3] * 2 + [[0.5625] * 3] * 2
        np.testing.assert_array_equal(state["w"], np.float32(rows))
        self.assertEqual(int(np.asarray(state["n"])), 3)

    def test_two_threads_take_turns(self):
        errors = []

        def train():
            state = self.state
            try:
                for _ in range(4):
                    state = jax.tree.map(np.array, self.step(state, self.x)["state"])
            except systole.InvalidArgument as error:  # the other thread's step was faster
                errors.append(error)
                return
            self.assertEqual(int(state["n"]), 4)

        threads = [threading.Thread(target=train) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for error in errors:
            self.assertIn("was donated to a later step", str(error))
        state = self.step(self.state, self.x)["state"]
        np.testing.assert_array_equal(state["w"], np.full((4, 3), 0.75))

    def test_arrays_outlive_the_function(self):
        state = self.step(self.state, self.x)["state"]
        del self.step
        gc.collect()
        np.testing.assert_array_equal(state["w"], np.full((4, 3), 0.75))


class StateHere(State):
    """The same where products alone run on the device."""

    @staticmethod
    def compiled(step):
        return systole.jit(step, "model", array_size=4, donate_argnums=0)

    def test_updates_lie_over_what_they_update(self):
        state = self.step(self.state, self.x)["state"]
        odd, even = state["w"]._program._kept
        places = [kept[state["w"]._output] for kept in (odd, even)]
        self.assertIs(*places)
        self.step(state, self.x)
        np.testing.assert_array_equal(places[0].array, np.full((4, 3), 0.5625))


class Outputs(unittest.TestCase):
    def test_a_step_returns_tensors_beside_what_it_updates(self):
        def step(state, x, labels):
            scores = x @ state["w"]
            right = jnp.argmax(scores, axis=1) == labels
            return scores, right, jnp.sum(right), labels, {"w": state["w"] + 1}

        random = np.random.default_rng(5)
        w = random.integers(-3, 4, (6, 10)).astype("float32")
        x = random.integers(-3, 4, (17, 6)).astype("float32")
        labels = random.integers(0, 10, 17).astype("int32")
        compiled = whole(step)
        state, theirs = {"w": w}, {"w": w}
        for _ in range(3):
            *found, state = compiled(state, x, labels)
            *expected, theirs = jax.jit(step)(theirs, x, labels)
            for ours, other in zip(found, expected, strict=True):
                self.assertEqual((ours.shape, ours.dtype), (other.shape, other.dtype))
                np.testing.assert_array_equal(ours, other)
        np.testing.assert_array_equal(state["w"], theirs["w"])


class Refusals(unittest.TestCase):
    def test_what_the_device_cannot_do_is_named_with_its_place(self):
        step = whole(lambda w: w**w)
        with self.assertRaisesRegex(systole.InvalidArgument, r"^\d+:\d+: power\(tensor<3xf32>, .*no such operation"):
            step(np.ones(3, np.float32))

    def test_an_old_parameter_that_its_product_replaces_is_named(self):
        def step(state, x):
            product = state["w"] @ x
            return (product * state["w"]).sum(), {"b": state["b"] - 1, "w": product}

        w = np.eye(4, dtype="float32")
        text = r"^\d+:\d+: this product is the next value of 'state\['w'\]', whose old value \d+:\d+ needs after"
        with self.assertRaisesRegex(systole.InvalidArgument, text):
            whole(step)({"b": w[0], "w": w}, w)

        def with_more(state, x):
            loss, state = step(state, x)
            return loss, state | {"w": 0.5 * state["w"]}

        loss, _ = whole(with_more)({"b": w[0], "w": w}, w)
        self.assertEqual(float(loss), 4)

    def test_arguments_that_nothing_updates_are_refused(self):
        w = np.ones(3, np.float32)
        with self.assertRaisesRegex(ValueError, "argument 0 is donated, but the function returns nothing"):
            whole(lambda w: w.sum())(w)
        with self.assertRaisesRegex(ValueError, "donate_argnums names 1, which is no argument"):
            systole.jit(lambda w: w + 1, whole=True, donate_argnums=1, array_size=4)(w)

    def test_a_device_without_programs_is_refused(self):
        with self.assertRaisesRegex(ValueError, "device 'cpu' runs no whole steps: use model or rtl"):
            systole.jit(lambda w: w + 1, "cpu", whole=True, donate_argnums=0)(np.ones(3, np.float32))

    def test_memory_that_the_device_lacks_is_an_error_and_the_device_lives(self):
        device = systole.Device("model", configuration="ulx3s")
        step = systole.jit(lambda w: w + 1, device, whole=True, donate_argnums=0)
        large = np.broadcast_to(np.float32(0), (1 << 10, 1 << 13))  # 32 MiB, all that the device has
        with self.assertRaisesRegex(systole.OutOfMemory, "device memory cannot give .* bytes"):
            step(large)
        np.testing.assert_array_equal(step(np.ones(3, np.float32)), np.full(3, 2))


if __name__ == "__main__":
    unittest.main()
