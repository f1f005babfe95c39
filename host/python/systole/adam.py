"""Keras's Adam updates a variable on a core by one operation of the plugin, with the same bits."""

import tensorflow as tf
from keras.src.optimizers import adam
from tensorflow.python.framework import op_def_library

from systole.plugin import DEVICE_TYPE

_update_step = adam.Adam.update_step


def _is_ours(optimizer, gradient, variable):
    return (
        not optimizer.amsgrad
        and not tf.executing_eagerly()
        and isinstance(gradient, tf.Tensor)  # and no tf.IndexedSlices
        and gradient.dtype == variable.dtype == tf.float32
        and f"device:{DEVICE_TYPE}:" in variable.device
    )


def _update(self, gradient, variable, learning_rate):
    if not _is_ours(self, gradient, variable):
        return _update_step(self, gradient, variable, learning_rate)
    place = self._get_variable_index(variable)
    momentum, velocity = self._momentums[place], self._velocities[place]
    step = tf.cast(self.iterations + 1, tf.float32)
    powers = [tf.pow(tf.constant(beta, tf.float32), step) for beta in (self.beta_1, self.beta_2)]
    values = op_def_library.apply_op(
        "SystoleAdam",
        value=tf.convert_to_tensor(variable),
        momentum=tf.convert_to_tensor(momentum.value),
        velocity=tf.convert_to_tensor(velocity.value),
        gradient=gradient,
        rate=tf.cast(learning_rate, tf.float32) * tf.sqrt(1 - powers[1]) / (1 - powers[0]),
        momentum_rate=1 - self.beta_1,
        velocity_rate=1 - self.beta_2,
        epsilon=self.epsilon,
    )
    for target, value in zip((variable, momentum, velocity), values):
        self.assign(target, value)


def install():
    adam.Adam.update_step = _update
