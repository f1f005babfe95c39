#pragma once

#include "host/graph/type.h"
#include "host/pjrt/abi.h"

namespace systole::pjrt {

/// How a plugin names a tensor's element.
inline abi::BufferType buffer_type(graph::Element element) {
  using abi::BufferType;
  switch (element) {
    case graph::Element::kF32:
      return BufferType::kF32;
    case graph::Element::kBf16:
      return BufferType::kBf16;
    case graph::Element::kS32:
      return BufferType::kS32;
    case graph::Element::kU32:
      return BufferType::kU32;
    case graph::Element::kS8:
      return BufferType::kS8;
    case graph::Element::kU8:
      return BufferType::kU8;
    case graph::Element::kPred:
      return BufferType::kPred;
  }
  return {};
}

}  // namespace systole::pjrt
