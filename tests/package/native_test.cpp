// A program that includes the C library's clock() before its kernels.
#include <cstdio>
#include <ctime>

#include "kernels.h"

int main() {
  systole::hls::Process<&mine::blink> blink;
  for (int edge = 0; edge < 3; ++edge) blink.clock({});
  const bool is_on = static_cast<bool>(systole::hls::part<0>(blink.outputs()));
  std::printf("after 3 edges the LED is %s\n", is_on ? "on" : "off");
  return is_on ? 0 : 1;
}
