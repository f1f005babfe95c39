#include "sim/device/progress.h"

#include <utility>

namespace systole::sim {
namespace {

thread_local const ProgressListener* listener = nullptr;

}  // namespace

ListensToProgress::ListensToProgress(ProgressListener told)
    : listener_(std::move(told)), before_(std::exchange(listener, &listener_)) {}

ListensToProgress::~ListensToProgress() { listener = before_; }

void tell_progress(const Progress& progress) {
  if (listener != nullptr) (*listener)(progress);
}

}  // namespace systole::sim
