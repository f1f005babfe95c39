#include "tests/support/fst_file.h"

#include <gtkwave/fstapi.h>

#include <functional>
#include <iterator>
#include <stdexcept>

namespace systole::tests {
namespace {

using Note = std::function<void(std::uint64_t time, fstHandle handle, const char* digits)>;

void note_change(void* note, std::uint64_t time, fstHandle handle, const unsigned char* digits) {
  (*static_cast<Note*>(note))(time, handle, reinterpret_cast<const char*>(digits));
}

}  // namespace

FstFile::FstFile(const std::string& path) {
  void* reader = fstReaderOpen(path.c_str());
  if (reader == nullptr) throw std::runtime_error(path + ": not an FST file");
  first_time_ = fstReaderGetStartTime(reader);
  last_time_ = fstReaderGetEndTime(reader);
  while (const fstHier* entry = fstReaderIterateHier(reader)) {
    if (entry->htyp != FST_HT_VAR) continue;
    const std::string name = entry->u.var.name;
    // "sum_o [31:0]"
    changes_of_.emplace(name.substr(0, name.find(' ')), entry->u.var.handle);
  }
  Note note = [this](std::uint64_t time, fstHandle handle, const char* digits) {
    ++changes_;
    by_handle_[handle][time] = digits;
  };
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks(reader, note_change, &note, nullptr);
  fstReaderClose(reader);
}

std::string FstFile::digits(const std::string& signal, std::uint64_t time) const {
  const auto handle = changes_of_.find(signal);
  if (handle == changes_of_.end()) throw std::runtime_error(signal + ": not in the file");
  const Changes& changes = by_handle_.at(handle->second);
  const auto after = changes.upper_bound(time);
  if (after == changes.begin()) throw std::runtime_error(signal + ": has no value yet");
  return std::prev(after)->second;
}

std::uint64_t FstFile::value(const std::string& signal, std::uint64_t time) const {
  return std::stoull(digits(signal, time), nullptr, 2);
}

}  // namespace systole::tests
