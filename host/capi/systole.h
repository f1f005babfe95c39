/// Systole as a C library: opens a device, compiles a program from StableHLO text and runs it.
///
///     systole_device* device;
///     systole_program* program;
///     if (systole_open("model", NULL, &device) != SYSTOLE_OK) puts(systole_error());
///     systole_compile(device, text, strlen(text), &program);   // jax.jit(f).lower(x).as_text()
///     systole_buffer x = {.data = in, .size_bytes = sizeof in};
///     systole_buffer y = {.data = out, .size_bytes = sizeof out};
///     systole_run(program, &x, 1, &y, 1);
///     systole_release(program);
///     systole_close(device);
///
/// Threads  any number of threads may use any handle; calls that use one device take turns. A
///          handle must not be released while another thread uses it
/// Errors   a call that fails changes nothing and returns a status; systole_error says what to do.
///          In a process forked after the device was opened, every use of it gives SYSTOLE_FORKED
#ifndef SYSTOLE_H_
#define SYSTOLE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SYSTOLE_API __attribute__((visibility("default")))

typedef enum {
  SYSTOLE_OK = 0,
  SYSTOLE_INVALID_ARGUMENT =
      1,                      ///< unknown names, text that is no program, buffers that do not fit
  SYSTOLE_DEVICE_ERROR = 2,   ///< a fault
  SYSTOLE_OUT_OF_MEMORY = 3,  ///< of the device or of the host
  SYSTOLE_FORKED = 4,         ///< the device belongs to the process that opened it
  SYSTOLE_INTERNAL_ERROR = 5
} systole_status;

/// The library's version: "0.1.0".
SYSTOLE_API const char* systole_version(void);

/// Describes the calling thread's last failure; empty before the first. Valid until its next one.
SYSTOLE_API const char* systole_error(void);

// ---- What this build has; NULL for an index out of range ----

SYSTOLE_API int32_t systole_device_count(void);
SYSTOLE_API const char* systole_device_name(int32_t index);  ///< "cpu", "model", "rtl"
SYSTOLE_API const char* systole_device_description(int32_t index);
SYSTOLE_API int32_t systole_configuration_count(void);
SYSTOLE_API const char* systole_configuration_name(int32_t index);  ///< "default", "tpu-v2-core"
SYSTOLE_API const char* systole_configuration_description(int32_t index);

// ---- Devices ----

typedef struct systole_device systole_device;

/// Zeros and NULLs mean the defaults.
typedef struct {
  const char* configuration;  ///< a name of systole_configuration_name
  int32_t array_size;         ///< N of the N x N array, instead of the configuration's
  int32_t threads;            ///< CPU threads of `cpu` and `model`; default 1
  const char* precision;      ///< of products: "fp32" on cpu (its default), "bf16" (other devices')
  int32_t cores;              ///< that run a program together; default 1
} systole_options;

typedef struct {
  const char* name;
  const char* precision;
  int32_t array_size;   ///< 0 on cpu
  int32_t cycle_exact;  ///< whether clocks are the RTL's
  double clock_mhz;     ///< 0 on cpu
  int32_t threads;
  const char* memory;        ///< what feeds the array; empty on cpu
  const char* clock_source;  ///< of clock_mhz: "assumed", or where it comes from; empty on cpu
  int32_t cores;
} systole_device_info;

SYSTOLE_API systole_status systole_open(const char* name, const systole_options* options,
                                        systole_device** device);
/// Valid until the device is closed.
SYSTOLE_API systole_status systole_info(const systole_device* device, systole_device_info* info);
/// NULL is allowed. Programs of the device stay usable.
SYSTOLE_API void systole_close(systole_device* device);

// ---- Programs ----
//
// Of a device of several cores, each runs a program of its own, with inputs and outputs of its own,
// that the text or the portable artifact says for all. They add values over links or, on cpu and in
// programs that do not run whole, on this processor, in the order of the cores.

typedef struct systole_program systole_program;

typedef enum {
  SYSTOLE_F32 = 0,
  SYSTOLE_BF16 = 1,
  SYSTOLE_I32 = 2,
  SYSTOLE_U32 = 3,
  SYSTOLE_I8 = 4,
  SYSTOLE_BOOL = 5,  ///< one byte, 0 or 1
  SYSTOLE_U8 = 6
} systole_element;

/// An input or output: dense and row-major, of `size_bytes`. Pointers are the program's.
typedef struct {
  const char* name;
  systole_element element;
  int32_t rank;
  const int64_t* dimensions;
  int64_t size_bytes;
  int32_t updated_by;  ///< of an input: the output that may lie in its memory, or -1
} systole_port;

/// Reads StableHLO text, as JAX prints it, and prepares it for the device. Each product and
/// convolution becomes a program of the device, as systole_compile_step makes it of that operation
/// alone; everything else runs on this processor.
SYSTOLE_API systole_status systole_compile(systole_device* device, const char* text, size_t length,
                                           systole_program** program);
/// As systole_compile, with the whole step as one program of the device, which must be `model` or
/// `rtl`. What the step updates stays there from run to run; this processor computes only what
/// follows from numbers alone, as a learning rate, a count of steps, or a key of random bits.
/// Text that does not lower is refused, with line, column and operation.
///
/// updated_by  for each of `count` inputs the output with its next value, or -1; with a count of 0,
///             as the text's tf.aliasing_output say
SYSTOLE_API systole_status systole_compile_step(systole_device* device, const char* text,
                                                size_t length, const int32_t* updated_by,
                                                int32_t count, systole_program** program);
/// As systole_compile_step, but of a step with products this processor computes what the device
/// lacks, between several programs of the device.
SYSTOLE_API systole_status systole_compile_step_beside_host(systole_device* device,
                                                            const char* text, size_t length,
                                                            const int32_t* updated_by,
                                                            int32_t count,
                                                            systole_program** program);
/// NULL is allowed.
SYSTOLE_API void systole_release(systole_program* program);

SYSTOLE_API int32_t systole_input_count(const systole_program* program);
SYSTOLE_API int32_t systole_output_count(const systole_program* program);
SYSTOLE_API systole_status systole_input(const systole_program* program, int32_t index,
                                         systole_port* port);
SYSTOLE_API systole_status systole_output(const systole_program* program, int32_t index,
                                          systole_port* port);

/// Products and convolutions of a program that run on this processor, not on its device:
/// "convolution(tensor<2x5x5x5x1xf32>, tensor<3x3x3x1x4xf32>)"; NULL for an index out of range.
/// Every other one runs on the device. On cpu there are none.
SYSTOLE_API const char* systole_fallback(const systole_program* program, int32_t index);

/// Why and what this processor computes between a step's programs: "step.py:4: atan2(...): the
/// device's vector engine has no such operation; on the host: atan2, ..."; empty where it computes
/// nothing but numbers.
SYSTOLE_API const char* systole_on_host(const systole_program* program);

/// By name, or by position where the name is NULL.
typedef struct {
  const char* name;
  void* data;
  int64_t size_bytes;
} systole_buffer;

/// Runs the program once and returns when the outputs are written. All inputs and outputs are
/// needed, each once; no output may overlap another buffer but the input that it updates. Of
/// several cores, buffers are those of core 0, then those of core 1, and so on.
///
/// Of a step, an updated input without data (NULL, 0 bytes) is what the last run left on the
/// device, and the output that updates it stays there. After a run that failed, all are needed
/// again.
SYSTOLE_API systole_status systole_run(systole_program* program, const systole_buffer* inputs,
                                       int32_t input_count, const systole_buffer* outputs,
                                       int32_t output_count);

/// Copies an output, by number, that the last run of a step left on the device; of core c, it is
/// c times the number of outputs further.
SYSTOLE_API systole_status systole_read(systole_program* program, int32_t output,
                                        const systole_buffer* buffer);

/// What the last run did. Clocks are the device's own, exact on a cycle-exact device and 0 on cpu,
/// of several cores the slowest one's; stalls are clocks in which no row entered the array, by
/// cause, of all cores.
typedef struct {
  uint64_t clocks, products, macs;
  uint64_t stall_load, stall_store, stall_weights, stall_sums, stall_idle;
  double utilization;  ///< macs / (clocks * N * N * cores)
  double seconds;      ///< wall time of the run
} systole_step;

SYSTOLE_API systole_status systole_last_run(const systole_program* program, systole_step* step);

#ifdef __cplusplus
}
#endif

#endif
