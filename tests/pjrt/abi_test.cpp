// Every size and position of abi.h, beside the header of its source.
#include "host/pjrt/abi.h"

#include <catch2/catch.hpp>
#include <cstddef>

#include "pjrt_c_api.h"

namespace systole::tests {
namespace {

namespace abi = pjrt::abi;

#define CHECK_PLACE(ours, our_field, theirs, their_field) \
  STATIC_REQUIRE(offsetof(abi::ours, our_field) == offsetof(theirs, their_field))
// The source counts a struct's size up to its last field's end.
#define CHECK_STRUCT(ours, theirs)                            \
  STATIC_REQUIRE(sizeof(abi::ours) == sizeof(struct theirs)); \
  STATIC_REQUIRE(sizeof(abi::ours) >= theirs##_STRUCT_SIZE);  \
  CHECK_PLACE(ours, head.size, theirs, struct_size);          \
  CHECK_PLACE(ours, head.extensions, theirs, extension_start)

TEST_CASE("every function lies where PJRT's header has it", "[pjrt]") {
  CHECK_PLACE(Api, version, PJRT_Api, pjrt_api_version);
  CHECK_PLACE(Api, error_destroy, PJRT_Api, PJRT_Error_Destroy);
  CHECK_PLACE(Api, error_message, PJRT_Api, PJRT_Error_Message);
  CHECK_PLACE(Api, error_get_code, PJRT_Api, PJRT_Error_GetCode);
  CHECK_PLACE(Api, plugin_initialize, PJRT_Api, PJRT_Plugin_Initialize);
  CHECK_PLACE(Api, plugin_attributes, PJRT_Api, PJRT_Plugin_Attributes);
  CHECK_PLACE(Api, event_destroy, PJRT_Api, PJRT_Event_Destroy);
  CHECK_PLACE(Api, event_await, PJRT_Api, PJRT_Event_Await);
  CHECK_PLACE(Api, client_create, PJRT_Api, PJRT_Client_Create);
  CHECK_PLACE(Api, client_platform_name, PJRT_Api, PJRT_Client_PlatformName);
  CHECK_PLACE(Api, client_platform_version, PJRT_Api, PJRT_Client_PlatformVersion);
  CHECK_PLACE(Api, client_addressable_devices, PJRT_Api, PJRT_Client_AddressableDevices);
  CHECK_PLACE(Api, client_compile, PJRT_Api, PJRT_Client_Compile);
  CHECK_PLACE(Api, client_buffer_from_host, PJRT_Api, PJRT_Client_BufferFromHostBuffer);
  CHECK_PLACE(Api, device_description_kind, PJRT_Api, PJRT_DeviceDescription_Kind);
  CHECK_PLACE(Api, device_get_description, PJRT_Api, PJRT_Device_GetDescription);
  CHECK_PLACE(Api, executable_destroy, PJRT_Api, PJRT_Executable_Destroy);
  CHECK_PLACE(Api, executable_num_outputs, PJRT_Api, PJRT_Executable_NumOutputs);
  CHECK_PLACE(Api, executable_optimized_program, PJRT_Api, PJRT_Executable_OptimizedProgram);
  CHECK_PLACE(Api, loaded_executable_destroy, PJRT_Api, PJRT_LoadedExecutable_Destroy);
  CHECK_PLACE(Api, loaded_executable_get_executable, PJRT_Api, PJRT_LoadedExecutable_GetExecutable);
  CHECK_PLACE(Api, loaded_executable_execute, PJRT_Api, PJRT_LoadedExecutable_Execute);
  CHECK_PLACE(Api, buffer_destroy, PJRT_Api, PJRT_Buffer_Destroy);
  CHECK_PLACE(Api, buffer_unsafe_pointer, PJRT_Api, PJRT_Buffer_UnsafePointer);
  CHECK_PLACE(Api, buffer_to_host, PJRT_Api, PJRT_Buffer_ToHostBuffer);
  CHECK_PLACE(Api, event_is_ready, PJRT_Api, PJRT_Event_IsReady);
  CHECK_PLACE(Api, event_error, PJRT_Api, PJRT_Event_Error);
  CHECK_PLACE(Api, event_on_ready, PJRT_Api, PJRT_Event_OnReady);
  CHECK_PLACE(Api, client_destroy, PJRT_Api, PJRT_Client_Destroy);
  CHECK_PLACE(Api, client_process_index, PJRT_Api, PJRT_Client_ProcessIndex);
  CHECK_PLACE(Api, client_devices, PJRT_Api, PJRT_Client_Devices);
  CHECK_PLACE(Api, client_lookup_device, PJRT_Api, PJRT_Client_LookupDevice);
  CHECK_PLACE(Api, client_lookup_addressable_device, PJRT_Api, PJRT_Client_LookupAddressableDevice);
  CHECK_PLACE(Api, client_addressable_memories, PJRT_Api, PJRT_Client_AddressableMemories);
  CHECK_PLACE(Api, client_default_assignment, PJRT_Api, PJRT_Client_DefaultDeviceAssignment);
  CHECK_PLACE(Api, device_description_id, PJRT_Api, PJRT_DeviceDescription_Id);
  CHECK_PLACE(Api, device_description_process_index, PJRT_Api, PJRT_DeviceDescription_ProcessIndex);
  CHECK_PLACE(Api, device_description_attributes, PJRT_Api, PJRT_DeviceDescription_Attributes);
  CHECK_PLACE(Api, device_description_debug_string, PJRT_Api, PJRT_DeviceDescription_DebugString);
  CHECK_PLACE(Api, device_description_to_string, PJRT_Api, PJRT_DeviceDescription_ToString);
  CHECK_PLACE(Api, device_is_addressable, PJRT_Api, PJRT_Device_IsAddressable);
  CHECK_PLACE(Api, device_local_hardware_id, PJRT_Api, PJRT_Device_LocalHardwareId);
  CHECK_PLACE(Api, device_addressable_memories, PJRT_Api, PJRT_Device_AddressableMemories);
  CHECK_PLACE(Api, device_default_memory, PJRT_Api, PJRT_Device_DefaultMemory);
  CHECK_PLACE(Api, memory_id, PJRT_Api, PJRT_Memory_Id);
  CHECK_PLACE(Api, memory_kind, PJRT_Api, PJRT_Memory_Kind);
  CHECK_PLACE(Api, memory_debug_string, PJRT_Api, PJRT_Memory_DebugString);
  CHECK_PLACE(Api, memory_to_string, PJRT_Api, PJRT_Memory_ToString);
  CHECK_PLACE(Api, memory_addressable_by_devices, PJRT_Api, PJRT_Memory_AddressableByDevices);
  CHECK_PLACE(Api, executable_name, PJRT_Api, PJRT_Executable_Name);
  CHECK_PLACE(Api, executable_num_replicas, PJRT_Api, PJRT_Executable_NumReplicas);
  CHECK_PLACE(Api, executable_num_partitions, PJRT_Api, PJRT_Executable_NumPartitions);
  CHECK_PLACE(Api, executable_code_bytes, PJRT_Api, PJRT_Executable_SizeOfGeneratedCodeInBytes);
  CHECK_PLACE(Api, executable_output_memory_kinds, PJRT_Api, PJRT_Executable_OutputMemoryKinds);
  CHECK_PLACE(Api, loaded_executable_addressable_devices, PJRT_Api,
              PJRT_LoadedExecutable_AddressableDevices);
  CHECK_PLACE(Api, loaded_executable_delete, PJRT_Api, PJRT_LoadedExecutable_Delete);
  CHECK_PLACE(Api, loaded_executable_is_deleted, PJRT_Api, PJRT_LoadedExecutable_IsDeleted);
  CHECK_PLACE(Api, loaded_executable_fingerprint, PJRT_Api, PJRT_LoadedExecutable_Fingerprint);
  CHECK_PLACE(Api, buffer_element_type, PJRT_Api, PJRT_Buffer_ElementType);
  CHECK_PLACE(Api, buffer_dimensions, PJRT_Api, PJRT_Buffer_Dimensions);
  CHECK_PLACE(Api, buffer_unpadded_dimensions, PJRT_Api, PJRT_Buffer_UnpaddedDimensions);
  CHECK_PLACE(Api, buffer_dynamic_dimensions, PJRT_Api, PJRT_Buffer_DynamicDimensionIndices);
  CHECK_PLACE(Api, buffer_memory_layout, PJRT_Api, PJRT_Buffer_GetMemoryLayout);
  CHECK_PLACE(Api, buffer_size, PJRT_Api, PJRT_Buffer_OnDeviceSizeInBytes);
  CHECK_PLACE(Api, buffer_device, PJRT_Api, PJRT_Buffer_Device);
  CHECK_PLACE(Api, buffer_memory, PJRT_Api, PJRT_Buffer_Memory);
  CHECK_PLACE(Api, buffer_delete, PJRT_Api, PJRT_Buffer_Delete);
  CHECK_PLACE(Api, buffer_is_deleted, PJRT_Api, PJRT_Buffer_IsDeleted);
  CHECK_PLACE(Api, buffer_copy_to_device, PJRT_Api, PJRT_Buffer_CopyToDevice);
  CHECK_PLACE(Api, buffer_is_on_cpu, PJRT_Api, PJRT_Buffer_IsOnCpu);
  CHECK_PLACE(Api, buffer_ready_event, PJRT_Api, PJRT_Buffer_ReadyEvent);
  CHECK_PLACE(Api, executable_output_types, PJRT_Api, PJRT_Executable_OutputElementTypes);
  CHECK_PLACE(Api, executable_output_dimensions, PJRT_Api, PJRT_Executable_OutputDimensions);
  CHECK_PLACE(Api, buffer_copy_to_memory, PJRT_Api, PJRT_Buffer_CopyToMemory);
  CHECK_PLACE(Api, executable_fingerprint, PJRT_Api, PJRT_Executable_Fingerprint);
  CHECK_PLACE(Api, memory_kind_id, PJRT_Api, PJRT_Memory_Kind_Id);
  CHECK_PLACE(Api, loaded_executable_get_assignment, PJRT_Api,
              PJRT_LoadedExecutable_GetDeviceAssignment);
  STATIC_REQUIRE(sizeof(abi::Api) == PJRT_Api_STRUCT_SIZE);
  CHECK(PJRT_API_MAJOR == abi::kMajorVersion);
  CHECK(PJRT_API_MINOR >= abi::kLeastMinorVersion);
}

TEST_CASE("every struct of arguments is PJRT's", "[pjrt]") {
  CHECK_STRUCT(ErrorDestroy, PJRT_Error_Destroy_Args);
  CHECK_STRUCT(ErrorMessage, PJRT_Error_Message_Args);
  CHECK_PLACE(ErrorMessage, message_size, PJRT_Error_Message_Args, message_size);
  CHECK_STRUCT(ErrorGetCode, PJRT_Error_GetCode_Args);
  CHECK_PLACE(ErrorGetCode, code, PJRT_Error_GetCode_Args, code);
  CHECK_STRUCT(PluginInitialize, PJRT_Plugin_Initialize_Args);
  CHECK_STRUCT(NamedValue, PJRT_NamedValue);
  CHECK_PLACE(NamedValue, kind, PJRT_NamedValue, type);
  CHECK_PLACE(NamedValue, integer, PJRT_NamedValue, int64_value);
  CHECK_PLACE(NamedValue, value_size, PJRT_NamedValue, value_size);
  CHECK_STRUCT(PluginAttributes, PJRT_Plugin_Attributes_Args);
  CHECK_PLACE(PluginAttributes, count, PJRT_Plugin_Attributes_Args, num_attributes);
  CHECK_STRUCT(EventDestroy, PJRT_Event_Destroy_Args);
  CHECK_STRUCT(EventAwait, PJRT_Event_Await_Args);
  CHECK_STRUCT(ClientCreate, PJRT_Client_Create_Args);
  CHECK_PLACE(ClientCreate, client, PJRT_Client_Create_Args, client);
  CHECK_STRUCT(ClientPlatformName, PJRT_Client_PlatformName_Args);
  CHECK_PLACE(ClientPlatformName, name_size, PJRT_Client_PlatformName_Args, platform_name_size);
  CHECK_STRUCT(ClientPlatformVersion, PJRT_Client_PlatformVersion_Args);
  CHECK_STRUCT(ClientAddressableDevices, PJRT_Client_AddressableDevices_Args);
  CHECK_PLACE(ClientAddressableDevices, count, PJRT_Client_AddressableDevices_Args,
              num_addressable_devices);
  CHECK_STRUCT(Program, PJRT_Program);
  CHECK_PLACE(Program, format, PJRT_Program, format);
  CHECK_STRUCT(ClientCompile, PJRT_Client_Compile_Args);
  CHECK_PLACE(ClientCompile, options, PJRT_Client_Compile_Args, compile_options);
  CHECK_PLACE(ClientCompile, executable, PJRT_Client_Compile_Args, executable);
  CHECK_STRUCT(ClientBufferFromHost, PJRT_Client_BufferFromHostBuffer_Args);
  CHECK_PLACE(ClientBufferFromHost, dimensions, PJRT_Client_BufferFromHostBuffer_Args, dims);
  CHECK_PLACE(ClientBufferFromHost, host_buffer, PJRT_Client_BufferFromHostBuffer_Args,
              host_buffer_semantics);
  CHECK_PLACE(ClientBufferFromHost, device, PJRT_Client_BufferFromHostBuffer_Args, device);
  CHECK_PLACE(ClientBufferFromHost, buffer, PJRT_Client_BufferFromHostBuffer_Args, buffer);
  CHECK_STRUCT(DeviceGetDescription, PJRT_Device_GetDescription_Args);
  CHECK_STRUCT(DeviceDescriptionKind, PJRT_DeviceDescription_Kind_Args);
  CHECK_STRUCT(ExecutableDestroy, PJRT_Executable_Destroy_Args);
  CHECK_STRUCT(ExecutableNumOutputs, PJRT_Executable_NumOutputs_Args);
  CHECK_STRUCT(LoadedExecutableDestroy, PJRT_LoadedExecutable_Destroy_Args);
  CHECK_STRUCT(LoadedExecutableGetExecutable, PJRT_LoadedExecutable_GetExecutable_Args);
  CHECK_STRUCT(ExecuteOptions, PJRT_ExecuteOptions);
  CHECK_PLACE(ExecuteOptions, launch_id, PJRT_ExecuteOptions, launch_id);
  CHECK_PLACE(ExecuteOptions, never_donated, PJRT_ExecuteOptions, non_donatable_input_indices);
  CHECK_PLACE(ExecuteOptions, incarnation_ids, PJRT_ExecuteOptions, incarnation_ids);
  CHECK_STRUCT(LoadedExecutableExecute, PJRT_LoadedExecutable_Execute_Args);
  CHECK_PLACE(LoadedExecutableExecute, inputs, PJRT_LoadedExecutable_Execute_Args, argument_lists);
  CHECK_PLACE(LoadedExecutableExecute, done, PJRT_LoadedExecutable_Execute_Args,
              device_complete_events);
  CHECK_STRUCT(BufferDestroy, PJRT_Buffer_Destroy_Args);
  CHECK_STRUCT(BufferToHost, PJRT_Buffer_ToHostBuffer_Args);
  CHECK_PLACE(BufferToHost, destination, PJRT_Buffer_ToHostBuffer_Args, dst);
  CHECK_PLACE(BufferToHost, event, PJRT_Buffer_ToHostBuffer_Args, event);
  CHECK_STRUCT(ApiVersion, PJRT_Api_Version);
}

TEST_CASE("numbers that stand for types and ways are PJRT's", "[pjrt]") {
  const auto is = [](auto ours, auto theirs) {
    return static_cast<int>(ours) == static_cast<int>(theirs);
  };
  CHECK(is(abi::BufferType::kPred, PJRT_Buffer_Type_PRED));
  CHECK(is(abi::BufferType::kS8, PJRT_Buffer_Type_S8));
  CHECK(is(abi::BufferType::kU8, PJRT_Buffer_Type_U8));
  CHECK(is(abi::BufferType::kS32, PJRT_Buffer_Type_S32));
  CHECK(is(abi::BufferType::kU32, PJRT_Buffer_Type_U32));
  CHECK(is(abi::BufferType::kF32, PJRT_Buffer_Type_F32));
  CHECK(is(abi::BufferType::kBf16, PJRT_Buffer_Type_BF16));
  CHECK(is(abi::HostBuffer::kUntilTransferCompletes,
           PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes));
  CHECK(is(abi::ErrorCode::kInvalidArgument, PJRT_Error_Code_INVALID_ARGUMENT));
  CHECK(is(abi::ErrorCode::kResourceExhausted, PJRT_Error_Code_RESOURCE_EXHAUSTED));
  CHECK(is(abi::ValueKind::kIntegers, PJRT_NamedValue_kInt64List));
  CHECK(is(abi::ValueKind::kBool, PJRT_NamedValue_kBool));
}

// A query's object, and the first of what it gives, beside the header's struct.
#define CHECK_QUERY(ours, our_field, theirs, their_field) \
  STATIC_REQUIRE(sizeof(ours) == sizeof(struct theirs));  \
  STATIC_REQUIRE(offsetof(ours, our_field) == offsetof(theirs, their_field))

TEST_CASE("every query has the shape of PJRT's struct", "[pjrt]") {
  using IsReady = abi::Query<abi::Event, bool>;
  CHECK_QUERY(IsReady, value, PJRT_Event_IsReady_Args, is_ready);
  CHECK_QUERY(abi::EventAwait, event, PJRT_Event_Error_Args, event);
  CHECK_QUERY(abi::EventOnReady, user, PJRT_Event_OnReady_Args, user_arg);
  CHECK_QUERY(abi::Command<abi::Client>, object, PJRT_Client_Destroy_Args, client);
  CHECK_QUERY(abi::ClientLookup, device, PJRT_Client_LookupDevice_Args, device);
  CHECK_QUERY(abi::ClientLookup, device, PJRT_Client_LookupAddressableDevice_Args,
              addressable_device);
  CHECK_QUERY(abi::ClientDefaultAssignment, devices, PJRT_Client_DefaultDeviceAssignment_Args,
              default_assignment);
  using Number = abi::Query<abi::Client, int>;
  CHECK_QUERY(Number, value, PJRT_Client_ProcessIndex_Args, process_index);
  CHECK_QUERY(Number, value, PJRT_DeviceDescription_Id_Args, id);
  CHECK_QUERY(Number, value, PJRT_Device_LocalHardwareId_Args, local_hardware_id);
  CHECK_QUERY(Number, value, PJRT_Memory_Id_Args, id);
  CHECK_QUERY(Number, value, PJRT_Memory_Kind_Id_Args, kind_id);
  using List = abi::ListQuery<abi::Client, abi::Device* const>;
  CHECK_QUERY(List, count, PJRT_Client_Devices_Args, num_devices);
  CHECK_QUERY(List, count, PJRT_Client_AddressableMemories_Args, num_addressable_memories);
  CHECK_QUERY(List, count, PJRT_Device_AddressableMemories_Args, num_memories);
  CHECK_QUERY(List, count, PJRT_Memory_AddressableByDevices_Args, num_devices);
  CHECK_QUERY(List, count, PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices);
  CHECK_QUERY(List, count, PJRT_Buffer_Dimensions_Args, num_dims);
  CHECK_QUERY(List, count, PJRT_Buffer_UnpaddedDimensions_Args, num_dims);
  CHECK_QUERY(List, count, PJRT_Buffer_DynamicDimensionIndices_Args, num_dynamic_dims);
  CHECK_QUERY(List, count, PJRT_Executable_OutputElementTypes_Args, num_output_types);
  using Text = abi::TextQuery<abi::Memory>;
  CHECK_QUERY(Text, count, PJRT_DeviceDescription_DebugString_Args, debug_string_size);
  CHECK_QUERY(Text, count, PJRT_DeviceDescription_ToString_Args, to_string_size);
  CHECK_QUERY(Text, count, PJRT_Memory_Kind_Args, kind_size);
  CHECK_QUERY(Text, count, PJRT_Executable_Name_Args, executable_name_size);
  CHECK_QUERY(Text, count, PJRT_Executable_Fingerprint_Args, executable_fingerprint_size);
  CHECK_QUERY(Text, count, PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint_size);
  using Counted = abi::CountedQuery<abi::DeviceDescription, const abi::NamedValue>;
  CHECK_QUERY(Counted, items, PJRT_DeviceDescription_Attributes_Args, attributes);
  using Flag = abi::Query<abi::Buffer, bool>;
  CHECK_QUERY(Flag, value, PJRT_Device_IsAddressable_Args, is_addressable);
  CHECK_QUERY(Flag, value, PJRT_LoadedExecutable_IsDeleted_Args, is_deleted);
  CHECK_QUERY(Flag, value, PJRT_Buffer_IsDeleted_Args, is_deleted);
  CHECK_QUERY(Flag, value, PJRT_Buffer_IsOnCpu_Args, is_on_cpu);
  using Pointer = abi::Query<abi::Buffer, abi::Memory*>;
  CHECK_QUERY(Pointer, value, PJRT_Device_DefaultMemory_Args, memory);
  CHECK_QUERY(Pointer, value, PJRT_Buffer_Memory_Args, memory);
  CHECK_QUERY(Pointer, value, PJRT_Buffer_Device_Args, device);
  CHECK_QUERY(Pointer, value, PJRT_Buffer_ReadyEvent_Args, event);
  CHECK_QUERY(Pointer, value, PJRT_Executable_OptimizedProgram_Args, program);
  using Size = abi::Query<abi::Executable, std::size_t>;
  CHECK_QUERY(Size, value, PJRT_Executable_NumReplicas_Args, num_replicas);
  CHECK_QUERY(Size, value, PJRT_Executable_NumPartitions_Args, num_partitions);
  CHECK_QUERY(Size, value, PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes);
  CHECK_QUERY(Size, value, PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes);
  using Address = abi::Query<abi::Buffer, std::uintptr_t>;
  CHECK_QUERY(Address, value, PJRT_Buffer_UnsafePointer_Args, buffer_pointer);
  using Kind = abi::Query<abi::Buffer, abi::BufferType>;
  CHECK_QUERY(Kind, value, PJRT_Buffer_ElementType_Args, type);
  using Layout = abi::Query<abi::Buffer, abi::MemoryLayout>;
  CHECK_QUERY(Layout, value, PJRT_Buffer_GetMemoryLayout_Args, layout);
  CHECK_QUERY(abi::MemoryLayout, kind, PJRT_Buffer_MemoryLayout, type);
  CHECK_QUERY(abi::TiledLayout, tile_count, PJRT_Buffer_MemoryLayout_Tiled, num_tiles);
  CHECK_QUERY(abi::ExecutableOutputMemoryKinds, sizes, PJRT_Executable_OutputMemoryKinds_Args,
              memory_kind_sizes);
  CHECK_QUERY(abi::ExecutableOutputDimensions, ranks, PJRT_Executable_OutputDimensions_Args,
              dim_sizes);
  CHECK_QUERY(abi::LoadedExecutableGetAssignment, deleter,
              PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_device_assignment_deleter);
  using Copy = abi::BufferCopy<abi::Device>;
  CHECK_QUERY(Copy, copy, PJRT_Buffer_CopyToDevice_Args, dst_buffer);
  CHECK_QUERY(Copy, copy, PJRT_Buffer_CopyToMemory_Args, dst_buffer);
}

}  // namespace
}  // namespace systole::tests
