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

// Before its bytes change.
void Queue::need_room(std::string_view call, const Buffer& destination, std::size_t size_bytes) {
  check_buffer(call, "the destination", destination, *backend_);
  if (static_cast<std::uint64_t>(destination.size_bytes()) < size_bytes) {
    throw std::invalid_argument(fmt::format("{}: the source has {} bytes, the buffer only {}", call,
                                            size_bytes, destination.size_bytes()));
  }
  const std::uint64_t address = destination.address();
  const auto needs_it = [&](const Product& product) { return touches(product, address); };
  if (std::ranges::any_of(products_, needs_it)) wait();
}

void Queue::copy_to_device(std::span<const std::byte> source, const Buffer& destination) {
  need_room("copy_to_device", destination, source.size());
  memory_.write(destination.address(), source);
}

std::span<std::byte> Queue::in_place(const Buffer& destination, std::size_t size_bytes) {
  need_room("in_place", destination, size_bytes);
  std::byte* first = memory_.in_place(destination.address(), static_cast<std::int64_t>(size_bytes));
  return {first, first == nullptr ? 0 : size_bytes};
}

void Queue::wait_into(const Buffer& result, std::span<std::byte> destination) {
  check_buffer("wait_into", "the result", result, *backend_);
  const bool lent = memory_.lend(result.address(), destination);
  {
    const auto take_back = [&](Memory* memory) { memory->take_back(result.address()); };
    const std::unique_ptr<Memory, decltype(take_back)> loan(lent ? &memory_ : nullptr, take_back);
    wait();
  }
  if (!lent) copy_to_host(result, destination);
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

void Queue::matmul(const Matmul& matmul, const Epilogue& epilogue, Place place) {
  check(matmul, epilogue, *backend_);
  const std::size_t at = place == Place::kEnd ? products_.size() : ahead_;
  const auto offset = static_cast<std::ptrdiff_t>(at);
  products_.insert(products_.begin() + offset, product_of(matmul, epilogue));
  buffers_.push_back(
      {matmul.a, matmul.b, matmul.c, epilogue.bias, epilogue.mask, epilogue.column_sums});
  if (place == Place::kEnd) ahead_ = products_.size();
}

void Queue::wait() {
  if (products_.empty()) return;
  const auto products = std::exchange(products_, {});
  const auto buffers = std::exchange(buffers_, {});
  ahead_ = 0;
  backend_->execute(products);
}

}  // namespace systole
