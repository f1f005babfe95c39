#pragma once

// A ULX3S has 32 MiB of memory; a window may end with them.
#define SYSTOLE_ADDRESS_BITS 26

#include "hls/board/board.h"
