#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "hls/compiler/prove/arithmetic.h"

namespace systole::compiler {

/// One possible target of a pointer, under a condition.
struct Target {
  Signal condition = kTrue;
  int object = 0;
  Bits offset = {};  ///< in bytes, 64 bits
};

/// An SSA value: an integer, a pointer (exactly one place's condition holds), or a struct of
/// values.
struct Meaning {
  Bits bits = {};
  std::vector<Target> places = {};
  std::vector<Meaning> members = {};
  bool operator==(const Meaning& other) const;
};
bool operator==(const Target& a, const Target& b);

/// Bytes that a program can point to. Pointers are stored whole.
struct MemoryObject {
  Bits bits = {};  ///< 8 for each byte
  std::map<std::size_t, Meaning> pointers;
  bool writable = true;
};

/// The objects of a run, forked at branches and joined where they meet.
///
/// Limits   an integer is read where integers were written, a pointer where one was
class Memory {
 public:
  explicit Memory(Circuit& circuit) : circuit_(&circuit), arithmetic_(circuit) {}

  void add(int object, MemoryObject content);
  void remove(int object) { objects_.erase(object); }
  const MemoryObject* find(int object) const;

  /// Integers of any width at one or several places; adds to `outside` the condition under which
  /// the access leaves its object.
  Bits load(const Meaning& pointer, unsigned width, Signal& outside) const;
  void store(const Meaning& pointer, const Bits& value, Signal& outside);
  std::optional<Meaning> load_pointer(const Meaning& pointer) const;
  bool store_pointer(const Meaning& pointer, const Meaning& value);

  /// This under the condition, else the other.
  void join(Signal condition, const Memory& other);

 private:
  MemoryObject& writable(int object);

  Circuit* circuit_;
  mutable Arithmetic arithmetic_;
  std::map<int, std::shared_ptr<const MemoryObject>> objects_;
};

/// a under the condition, else b.
Meaning choose(Circuit& circuit, Signal condition, const Meaning& a, const Meaning& b);

}  // namespace systole::compiler
