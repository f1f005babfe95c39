#include "hls/compiler/prove/memory.h"

#include <stdexcept>

namespace systole::compiler {
namespace {

constexpr unsigned kOffsetBits = 64;

/// The bytes that a value of this width occupies.
std::size_t bytes_of(unsigned width) { return (width + 7) / 8; }

}  // namespace

bool operator==(const Target& a, const Target& b) {
  return a.condition == b.condition && a.object == b.object && a.offset == b.offset;
}

bool Meaning::operator==(const Meaning& other) const {
  return bits == other.bits && places == other.places && members == other.members;
}

Meaning choose(Circuit& circuit, Signal condition, const Meaning& a, const Meaning& b) {
  if (a == b) return a;
  Meaning result;
  if (a.bits.size() == b.bits.size()) result.bits = circuit.choose(condition, a.bits, b.bits);
  for (Target place : a.places) {
    place.condition = circuit.both(condition, place.condition);
    if (place.condition != kFalse) result.places.push_back(place);
  }
  for (Target place : b.places) {
    place.condition = circuit.both(inverse(condition), place.condition);
    if (place.condition != kFalse) result.places.push_back(place);
  }
  for (std::size_t i = 0; i < a.members.size() && i < b.members.size(); ++i) {
    result.members.push_back(choose(circuit, condition, a.members[i], b.members[i]));
  }
  return result;
}

void Memory::add(int object, MemoryObject content) {
  objects_[object] = std::make_shared<const MemoryObject>(std::move(content));
}

const MemoryObject* Memory::find(int object) const {
  const auto found = objects_.find(object);
  return found == objects_.end() ? nullptr : found->second.get();
}

MemoryObject& Memory::writable(int object) {
  auto copy = std::make_shared<MemoryObject>(*objects_.at(object));
  MemoryObject& result = *copy;
  objects_[object] = std::move(copy);
  return result;
}

Bits Memory::load(const Meaning& pointer, unsigned width, Signal& outside) const {
  Bits value(width, kFalse);
  Signal hit = kFalse;
  for (const Target& place : pointer.places) {
    const MemoryObject* object = find(place.object);
    if (!object) continue;
    const std::size_t size = object->bits.size() / 8;
    for (std::size_t byte = 0; byte + bytes_of(width) <= size; ++byte) {
      const Signal here =
          circuit_->both(place.condition,
                         arithmetic_.equal(place.offset, Arithmetic::constant(byte, kOffsetBits)));
      if (here == kFalse) continue;
      hit = circuit_->either(hit, here);
      value = circuit_->choose(here, Arithmetic::slice(object->bits, 8 * byte, width), value);
    }
  }
  outside = circuit_->either(outside, inverse(hit));
  return value;
}

void Memory::store(const Meaning& pointer, const Bits& value, Signal& outside) {
  const Bits whole = Arithmetic::extend(value, 8 * bytes_of(static_cast<unsigned>(value.size())),
                                        /*is_signed=*/false);
  Signal hit = kFalse;
  for (const Target& place : pointer.places) {
    const MemoryObject* object = find(place.object);
    if (!object || !object->writable) continue;
    const std::size_t size = object->bits.size() / 8;
    for (std::size_t byte = 0; byte + whole.size() / 8 <= size; ++byte) {
      const Signal here =
          circuit_->both(place.condition,
                         arithmetic_.equal(place.offset, Arithmetic::constant(byte, kOffsetBits)));
      if (here == kFalse) continue;
      hit = circuit_->either(hit, here);
      MemoryObject& target = writable(place.object);
      for (std::size_t i = 0; i < whole.size(); ++i) {
        Signal& bit = target.bits[8 * byte + i];
        bit = circuit_->choose(here, whole[i], bit);
      }
    }
  }
  outside = circuit_->either(outside, inverse(hit));
}

std::optional<Meaning> Memory::load_pointer(const Meaning& pointer) const {
  std::optional<Meaning> value;
  for (const Target& place : pointer.places) {
    const MemoryObject* object = find(place.object);
    if (!object || !Arithmetic::is_constant(place.offset)) return std::nullopt;
    const auto found = object->pointers.find(Arithmetic::constant_value(place.offset));
    if (found == object->pointers.end()) return std::nullopt;
    value = value ? choose(*circuit_, place.condition, found->second, *value) : found->second;
  }
  return value;
}

bool Memory::store_pointer(const Meaning& pointer, const Meaning& value) {
  if (pointer.places.size() != 1 || !Arithmetic::is_constant(pointer.places[0].offset)) {
    return false;
  }
  const Target& place = pointer.places[0];
  if (!find(place.object)) return false;
  writable(place.object).pointers[Arithmetic::constant_value(place.offset)] = value;
  return true;
}

void Memory::join(Signal condition, const Memory& other) {
  for (auto at = objects_.begin(); at != objects_.end();) {
    const auto found = other.objects_.find(at->first);
    if (found == other.objects_.end()) {
      at = objects_.erase(at);
      continue;
    }
    if (found->second != at->second) {
      MemoryObject joined = *at->second;
      joined.bits = circuit_->choose(condition, joined.bits, found->second->bits);
      for (auto pointer = joined.pointers.begin(); pointer != joined.pointers.end();) {
        const auto same = found->second->pointers.find(pointer->first);
        if (same == found->second->pointers.end()) {
          pointer = joined.pointers.erase(pointer);
        } else {
          pointer->second = choose(*circuit_, condition, pointer->second, same->second);
          ++pointer;
        }
      }
      at->second = std::make_shared<const MemoryObject>(std::move(joined));
    }
    ++at;
  }
}

}  // namespace systole::compiler
