"""The words of a Cloud TPU program, for Systole's cores. systole.tensorflow puts them into TensorFlow.

    tpu = tf.distribute.cluster_resolver.TPUClusterResolver()
    tf.config.experimental_connect_to_cluster(tpu)
    tf.tpu.experimental.initialize_tpu_system(tpu)
    strategy = tf.distribute.TPUStrategy(tpu)
"""

import abc
import os

import numpy as np
import tensorflow as tf
from keras.src.trainers import trainer
from tensorflow.python.tpu import topology

from systole.device import devices
from systole.library import InvalidArgument
from systole.plugin import DEVICE_TYPE, configure

_ADDRESS = "localhost"  # of the one worker, where a Cloud TPU has a host and a port
_connect_to_cluster = tf.config.experimental_connect_to_cluster
_list_logical_devices = tf.config.list_logical_devices
_list_physical_devices = tf.config.list_physical_devices
_supports_jit = trainer.model_supports_jit


def cores():
    """The names of this process's cores; opens them."""
    return [device.name for device in _list_logical_devices(DEVICE_TYPE)]


class TPUClusterResolver:
    """Stands for the cores of this process. Names of a Cloud TPU ("local", "grpc://...") stay unused.

    tpu     a device of this build, instead of $SYSTOLE_DEVICE's: "rtl"
    Errors  InvalidArgument, which is a ValueError, for another name
    """

    def __init__(self, tpu=None, *unused, **unused_options):
        if tpu in devices():
            configure(tpu)
        elif tpu not in (None, "", "local") and not tpu.startswith("grpc://"):
            raise InvalidArgument(
                f"not connected to a TPU runtime: unknown device '{tpu}': this build has "
                + ", ".join(devices())
            )

    @staticmethod
    def connect(tpu=None, zone=None, project=None):
        resolver = TPUClusterResolver(tpu)
        initialize_tpu_system(resolver)
        return resolver

    def master(self, *unused):
        return ""

    get_master = master

    def cluster_spec(self):
        return tf.train.ClusterSpec({"worker": [_ADDRESS]})

    def num_accelerators(self, *unused):
        return {"TPU": len(_list_physical_devices(DEVICE_TYPE))}


def connect_to_cluster(cluster, *args, **options):
    """The cores are in this process; other clusters are TensorFlow's."""
    if not isinstance(cluster, TPUClusterResolver):
        _connect_to_cluster(cluster, *args, **options)


def initialize_tpu_system(resolver=None):
    """Opens the cores. Returns them as a line of chips of one core each."""
    count = len(cores())
    coordinates = [[[core, 0, 0, 0] for core in range(count)]]
    return topology.Topology(None, [count, 1, 1, 1], np.array(coordinates, np.int32))


def shutdown_tpu_system(resolver=None):
    """Nothing: cores close with the process."""


class TPUStrategy(abc.ABC):
    """A strategy of TensorFlow's on all cores: a OneDeviceStrategy, or a MirroredStrategy.

    Gradients of several cores are summed on TensorFlow's CPU device.

    experimental_device_assignment   a tf.tpu.experimental.DeviceAssignment: one core for each replica
    Errors  InvalidArgument for replicas of several cores
    """

    def __new__(cls, tpu_cluster_resolver=None, experimental_device_assignment=None):
        names, assignment = cores(), experimental_device_assignment
        if assignment is not None:
            if assignment.num_cores_per_replica != 1:
                raise InvalidArgument(
                    f"a replica of {assignment.num_cores_per_replica} cores: here it has 1"
                )
            names = [names[assignment.tpu_ordinal(i)] for i in range(assignment.num_replicas)]
        strategy = _OnOne(names[0]) if len(names) == 1 else _OnSeveral(names)
        strategy.extended._cluster_resolver = tpu_cluster_resolver or TPUClusterResolver()
        strategy.extended.num_hosts = 1
        strategy.extended.num_replicas_per_host = len(names)
        return strategy


@TPUStrategy.register
class _OnOne(tf.distribute.OneDeviceStrategy):
    pass


@TPUStrategy.register
class _OnSeveral(tf.distribute.MirroredStrategy):
    def __init__(self, names):
        on_the_cpu = tf.distribute.ReductionToOneDevice(reduce_to_device="/CPU:0")
        super().__init__(names, cross_device_ops=on_the_cpu)


def _undistributed(strategy, dataset, options=None):
    """One device reads its data set as it is.

    TensorFlow's strategies read ahead in a thread that may outlive the data set's iterator and then
    ends the process: sixty short fits on one device did not survive it (TensorFlow 2.21).
    """
    return dataset


def _of_type(list_devices):
    def listed(device_type=None):
        return list_devices(DEVICE_TYPE if device_type == "TPU" else device_type)

    return listed


def _model_supports_jit(model):
    """XLA has no device here, so compile(jit_compile="auto") must not choose it."""
    return not _list_physical_devices(DEVICE_TYPE) and _supports_jit(model)


def install():
    tf.distribute.cluster_resolver.TPUClusterResolver = TPUClusterResolver
    tf.distribute.OneDeviceStrategy.experimental_distribute_dataset = _undistributed
    tf.distribute.TPUStrategy = TPUStrategy
    tf.distribute.experimental.TPUStrategy = TPUStrategy
    tf.config.experimental_connect_to_cluster = connect_to_cluster
    for config in (tf.config, tf.config.experimental):
        config.list_logical_devices = _of_type(_list_logical_devices)
        config.list_physical_devices = _of_type(_list_physical_devices)
    tf.tpu.experimental.initialize_tpu_system = initialize_tpu_system
    tf.tpu.experimental.shutdown_tpu_system = shutdown_tpu_system
    trainer.model_supports_jit = _model_supports_jit
    os.environ.setdefault("COLAB_TPU_ADDR", _ADDRESS)  # which notebooks look for
