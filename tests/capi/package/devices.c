#include <stdio.h>
#include <systole.h>

int main(void) {
  systole_device* device = NULL;
  for (int i = 0; i < systole_device_count(); ++i) puts(systole_device_name(i));
  if (systole_open("cpu", NULL, &device) != SYSTOLE_OK) {
    puts(systole_error());
    return 1;
  }
  systole_close(device);
  return 0;
}
