// The one main of every test executable: Catch2's session.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
