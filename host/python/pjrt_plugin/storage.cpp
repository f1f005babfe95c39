#include "host/python/pjrt_plugin/storage.h"

#include <new>

#include "host/python/pjrt_plugin/program.h"

namespace systole::pjrt {
namespace {

constexpr std::align_val_t kAlignment{64};

std::byte* allocate(std::size_t size) {
  return static_cast<std::byte*>(::operator new(size, kAlignment));
}

}  // namespace

std::unique_lock<std::mutex> lock_storages() {
  static std::mutex mutex;
  return std::unique_lock(mutex);
}

void Storage::Free::operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }

Storage::Storage(std::size_t size) : size_(size), bytes_(allocate(size)) {}

Storage::Storage(std::size_t size, std::shared_ptr<Program> program, int output)
    : size_(size), program_(std::move(program)), output_(output) {}

Storage::~Storage() = default;

std::byte* Storage::host() {
  if (program_ != nullptr) {
    bytes_.reset(allocate(size_));
    program_->read(output_, bytes_.get(), size_);
    program_.reset();
  }
  return bytes_.get();
}

}  // namespace systole::pjrt
