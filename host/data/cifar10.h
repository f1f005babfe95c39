#pragma once

#include <filesystem>
#include <span>

#include "host/data/dataset.h"

namespace systole {

/// Reads files of CIFAR-10's binary version, plain or gzip, one after the other: pixels 0..255
/// become 0..1.
///
/// Shapes   an image is its label in a byte, then 1024 reds, greens and blues, each 32 x 32; as a
///          sample {32, 32, 3}, 10 classes
/// Limits   all files hold the same number of images, at least one, as the official ones do
///          (10,000), so that a file truncated between two images is noticed
/// Errors   DataError for a file truncated at any byte, or a label outside 0..9
/// Source   https://www.cs.toronto.edu/~kriz/cifar.html, "Binary version"
Dataset read_cifar10(std::span<const std::filesystem::path> files);

}  // namespace systole
