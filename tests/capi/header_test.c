/* systole.h is C: this file is compiled as such. */
#include "systole.h"

const char* version_from_c(void) { return systole_version(); }
