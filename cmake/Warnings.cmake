# systole_warnings: linked PRIVATE by our own targets only, so a consumer never inherits them.
add_library(systole_warnings INTERFACE)
target_compile_options(systole_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  "SHELL:-Wno-bit-int-extension -Wno-unused-label")  # kept last: another copy of it may come earlier with systole::hls
