"""Keras, as people write it, on JAX's platform `systole` beside JAX's own CPU."""

import functools
import unittest

import numpy as np
import programs
import test_pjrt

# The end of each program: no product was left to this processor.
ON_DEVICE = """
    if os.environ.get("SYSTOLE_DEVICE", "cpu") != "cpu":
        import systole
        assert systole.last_step().on_host == "", systole.last_step()
        assert systole.fallbacks() == {}, systole.fallbacks()
"""
CNN = """
    import gzip, json, os
    os.environ["KERAS_BACKEND"] = "jax"
    import keras, numpy as np
    from keras import layers
    keras.utils.set_random_seed(1)
    def read(name, header, shape):
        with gzip.open("/usr/share/datasets/fashion-mnist/" + name) as file:
            return np.frombuffer(file.read(header + np.prod(shape))[header:], np.uint8).reshape(shape)
    x = read("train-images-idx3-ubyte.gz", 16, (48, 28, 28, 1)).astype("float32") / 255
    y = read("train-labels-idx1-ubyte.gz", 8, (48,)).astype("int32")
    model = keras.Sequential([
        layers.Input((28, 28, 1)), layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Flatten(), layers.Dropout(0.25), layers.Dense(8, activation="relu"), layers.Dense(10)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    history = model.fit(x, y, batch_size=16, epochs=2, validation_data=(x[:16], y[:16]), verbose=0)
    loss, accuracy = model.evaluate(x, y, batch_size=16, verbose=0)
    print(json.dumps([history.history["loss"], history.history["val_loss"], loss,
                      model.predict(x[:16], batch_size=16, verbose=0).tolist()]))
""" + ON_DEVICE
TRANSLATOR = """
    import json, os
    os.environ["KERAS_BACKEND"] = "jax"
    import keras, numpy as np
    from keras import layers
    keras.utils.set_random_seed(2)
    rng = np.random.default_rng(0)
    source, target = rng.integers(1, 12, (16, 5)), rng.integers(1, 12, (16, 4))
    encoded = layers.Input((5,), dtype="int32")
    states, last = layers.GRU(6, return_sequences=True, return_state=True)(layers.Embedding(12, 4)(encoded))
    decoded = layers.Input((4,), dtype="int32")
    query = layers.GRU(6, return_sequences=True)(layers.Embedding(12, 4)(decoded), initial_state=last)
    context = layers.Attention()([query, states])
    scores = layers.Dense(12)(layers.Concatenate()([query, context]))
    model = keras.Model([encoded, decoded], scores)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    words = np.roll(target, 1, axis=1)
    losses = [model.train_on_batch([source, words], target) for _ in range(3)]
    print(json.dumps([float(loss) for loss in losses]))
""" + ON_DEVICE


programs.preload("keras", KERAS_BACKEND="jax")


@functools.cache
def run(program, device=None):
    return test_pjrt.run(program, device)


class Programs(unittest.TestCase):
    def check(self, program):
        for ours, jaxs in zip(run(program, "cpu"), run(program), strict=True):
            np.testing.assert_allclose(ours, jaxs, rtol=test_pjrt.CPU_TOLERANCE, atol=1e-6)
        for ours, jaxs in zip(run(program, "model"), run(program), strict=True):
            np.testing.assert_allclose(ours, jaxs, rtol=test_pjrt.BF16_TOLERANCE, atol=0.02)

    def test_keras_trains_evaluates_and_predicts(self):
        self.check(CNN)

    def test_a_translator_with_attention_trains(self):
        self.check(TRANSLATOR)


if __name__ == "__main__":
    unittest.main()
