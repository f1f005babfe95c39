// The main of every test executable: Catch2's session, with the tests' disk cache.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>

int main(int argc, char** argv) {
  ::setenv("SYSTOLE_CACHE_DIR", SYSTOLE_TEST_CACHE, 1);
  return Catch::Session().run(argc, argv);
}
