#include "host/device/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/device/backend.h"

namespace systole {
namespace {

bool writes(const Product& product, std::uint64_t address) {
  return product.c == address || product.column_sums == address;
}

bool touches(const Product& product, std::uint64_t address) {
  return writes(product, address) || product.a == address || product.b == address ||
         product.bias == address || product.mask == address;
}

}  // namespace

Queue::Queue(std::shared_ptr<Backend> backend)
    : backend_(std::move(backend)), memory_(backend_->memory()) {}

void Queue::copy_to_device(std::span<const std::byte> source, const Buffer& destination) {
  check_buffer("copy_to_device", "the destination", destination, *backend_);
  if (static_cast<std::uint64_t>(destination.size_bytes()) < source.size()) {
    throw std::invalid_argument(
        fmt::format("copy_to_device: the source has {} bytes, the buffer only {}", source.size(),
                    destination.size_bytes()));
  }
  const std::uint64_t address = destination.address();
  const auto needs_it = [&](const Product& product) { return touches(product, address); };
  if (std::ranges::any_of(products_, needs_it)) wait();
  memory_.write(address, source);
}

void Queue::copy_to_host(const Buffer& source, std::span<std::byte> destination) {
  check_buffer("copy_to_host", "the source", source, *backend_);
  if (static_cast<std::uint64_t>(source.size_bytes()) < destination.size()) {
    throw std::invalid_argument(
        fmt::format("copy_to_host: the destination has {} bytes, the buffer only {}",
                    destination.size(), source.size_bytes()));
  }
  const std::uint64_t address = source.address();
  const auto makes_it = [&](const Product& product) { return writes(product, address); };
  if (std::ranges::any_of(products_, makes_it)) wait();
  memory_.read(address, destination);
}

void Queue::matmul(const Matmul& matmul, const Epilogue& epilogue) {
  check(matmul, epilogue, *backend_);
  products_.push_back(product_of(matmul, epilogue));
  buffers_.push_back(
      {matmul.a, matmul.b, matmul.c, epilogue.bias, epilogue.mask, epilogue.column_sums});
}

void Queue::wait() {
  if (products_.empty()) return;
  const auto products = std::exchange(products_, {});
  const auto buffers = std::exchange(buffers_, {});
  backend_->execute(products);
}

}  // namespace systole
