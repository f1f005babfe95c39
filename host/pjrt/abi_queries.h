#pragma once

#include "host/pjrt/abi.h"

/// Functions of PJRT that ask an object for what it is, of a few shapes.
namespace systole::pjrt::abi {

/// Does something to an object.
template <typename Object>
struct Command {
  Head head{sizeof(Command)};
  Object* object = nullptr;
};

/// Asks an object for one value.
template <typename Object, typename Value>
struct Query {
  Head head{sizeof(Query)};
  Object* object = nullptr;
  Value value = {};  ///< out
};

/// Asks for items that belong to the object.
template <typename Object, typename Item>
struct ListQuery {
  Head head{sizeof(ListQuery)};
  Object* object = nullptr;
  Item* items = nullptr;  ///< out
  std::size_t count = 0;  ///< out
};
template <typename Object>
using TextQuery = ListQuery<Object, const char>;

/// The same, the count first.
template <typename Object, typename Item>
struct CountedQuery {
  Head head{sizeof(CountedQuery)};
  Object* object = nullptr;
  std::size_t count = 0;  ///< out
  Item* items = nullptr;  ///< out
};

/// Calls `callback` when the event has happened, with its error, which is then the callee's.
struct EventOnReady {
  Head head{sizeof(EventOnReady)};
  Event* event = nullptr;
  void (*callback)(Error* error, void* user) = nullptr;
  void* user = nullptr;
};

struct ClientLookup {
  Head head{sizeof(ClientLookup)};
  Client* client = nullptr;
  int id = 0;
  Device* device = nullptr;  ///< out
};

struct ClientDefaultAssignment {
  Head head{sizeof(ClientDefaultAssignment)};
  Client* client = nullptr;
  int replicas = 0, partitions = 0;
  std::size_t size = 0;
  int* devices = nullptr;  ///< replicas x partitions of them; filled in
};

struct ExecutableOutputMemoryKinds {
  Head head{sizeof(ExecutableOutputMemoryKinds)};
  Executable* executable = nullptr;
  std::size_t count = 0;               ///< out
  const char* const* kinds = nullptr;  ///< out
  const std::size_t* sizes = nullptr;  ///< out
};

struct ExecutableOutputDimensions {
  Head head{sizeof(ExecutableOutputDimensions)};
  Executable* executable = nullptr;
  std::size_t count = 0;                     ///< out
  const std::int64_t* dimensions = nullptr;  ///< out: all outputs', one after the other
  const std::size_t* ranks = nullptr;        ///< out
};

struct AssignmentBytes;

/// A serialized DeviceAssignmentProto, which the caller deletes.
struct LoadedExecutableGetAssignment {
  Head head{sizeof(LoadedExecutableGetAssignment)};
  LoadedExecutable* executable = nullptr;
  const char* bytes = nullptr;                  ///< out
  std::size_t size = 0;                         ///< out
  AssignmentBytes* owner = nullptr;             ///< out
  void (*deleter)(AssignmentBytes*) = nullptr;  ///< out
};

struct TiledLayout {
  Head head{sizeof(TiledLayout)};
  const std::int64_t* minor_to_major = nullptr;
  std::size_t minor_to_major_count = 0;
  const std::int64_t* tile_dimensions = nullptr;
  const std::size_t* tile_ranks = nullptr;
  std::size_t tile_count = 0;
};

struct MemoryLayout {
  Head head{sizeof(MemoryLayout)};
  TiledLayout tiled;
  std::int32_t kind = 0;  ///< tiled
};

template <typename To>
struct BufferCopy {
  Head head{sizeof(BufferCopy)};
  Buffer* buffer = nullptr;
  To* to = nullptr;
  Buffer* copy = nullptr;  ///< out
};

}  // namespace systole::pjrt::abi
