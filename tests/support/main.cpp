// The one main of every test executable: Catch2's session. What the model keeps on disk goes to a
// folder of the build, never to the user's.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>

int main(int argc, char** argv) {
  ::setenv("SYSTOLE_CACHE_DIR", SYSTOLE_TEST_CACHE, 1);
  return Catch::Session().run(argc, argv);
}
