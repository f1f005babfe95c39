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
  CHECK_PLACE(Api, loaded_executable_destroy, PJRT_Api, PJRT_LoadedExecutable_Destroy);
  CHECK_PLACE(Api, loaded_executable_get_executable, PJRT_Api, PJRT_LoadedExecutable_GetExecutable);
  CHECK_PLACE(Api, loaded_executable_execute, PJRT_Api, PJRT_LoadedExecutable_Execute);
  CHECK_PLACE(Api, buffer_destroy, PJRT_Api, PJRT_Buffer_Destroy);
  CHECK_PLACE(Api, buffer_to_host, PJRT_Api, PJRT_Buffer_ToHostBuffer);
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

}  // namespace
}  // namespace systole::tests
