#include "sim/device/fiber.h"

#include <cstdint>
#include <utility>

namespace systole::sim {

Fiber::Fiber(std::function<void()> work)
    : work_(std::move(work)), stack_(std::make_unique_for_overwrite<std::byte[]>(kStackBytes)) {
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = &resumer_;
  // A context's function takes ints.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self),
              static_cast<unsigned>(std::uint64_t{self} >> 32));
}

void Fiber::enter(unsigned low, unsigned high) {
  auto* self = reinterpret_cast<Fiber*>(
      static_cast<std::uintptr_t>(low | static_cast<std::uint64_t>(high) << 32));
  self->work_();
  self->has_ended_ = true;
}

void Fiber::resume() { swapcontext(&resumer_, &own_); }

void Fiber::pause() { swapcontext(&own_, &resumer_); }

}  // namespace systole::sim
