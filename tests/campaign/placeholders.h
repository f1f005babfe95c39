#pragma once

#include <string>

namespace systole::tests {

/// A kernel's text with its placeholders replaced: `@` by the kernel's name, and the words `T` by a
/// UInt of `width` bits, `W` by that width, `S` by `size` and `N` by `number`.
std::string with_values(std::string text, const std::string& name, int width, int size, int number);

}  // namespace systole::tests
