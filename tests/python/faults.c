// Preloaded before a framework's plugin: while $SYSTOLE_TEST_FAULT has a text, systole_run answers
// with it as a device would that met a fault. Devices meet none in the programs of a test.
#include <dlfcn.h>
#include <stdlib.h>

#include "systole.h"

static const char* fault(void) {
  const char* text = getenv("SYSTOLE_TEST_FAULT");
  return text != NULL && *text != '\0' ? text : NULL;
}

static void* library_s(const char* name) {
  return dlsym(dlopen(getenv("SYSTOLE_LIBRARY"), RTLD_NOW | RTLD_NOLOAD), name);
}

systole_status systole_run(systole_program* program, const systole_buffer* inputs,
                           int32_t input_count, const systole_buffer* outputs,
                           int32_t output_count) {
  if (fault() != NULL) return SYSTOLE_DEVICE_ERROR;
  systole_status (*run)(systole_program*, const systole_buffer*, int32_t, const systole_buffer*,
                        int32_t) = library_s("systole_run");
  return run(program, inputs, input_count, outputs, output_count);
}

const char* systole_error(void) {
  const char* (*error)(void) = library_s("systole_error");
  return fault() != NULL ? fault() : error();
}
