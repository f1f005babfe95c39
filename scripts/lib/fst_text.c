// Writes an FST trace as VCD: fst_text IN.fst OUT.vcd (scripts/silicon)
#include <stdio.h>

#include "fstapi.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    fputs("usage: fst_text IN.fst OUT.vcd\n", stderr);
    return 2;
  }
  void* reader = fstReaderOpen(argv[1]);
  if (reader == NULL) {
    fprintf(stderr, "fst_text: ERROR: %s: not an FST file\n", argv[1]);
    return 1;
  }
  FILE* file = fopen(argv[2], "w");
  if (file == NULL) {
    fprintf(stderr, "fst_text: ERROR: %s: cannot be written\n", argv[2]);
    return 1;
  }
  fstReaderProcessHier(reader, file);
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks(reader, NULL, NULL, file);
  fstReaderClose(reader);
  return fclose(file) == 0 ? 0 : 1;
}
