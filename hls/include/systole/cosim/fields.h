#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace systole::cosim {

/// Converts to anything but an array, whose elements it initialises one by one.
struct AnyField {
  template <typename T>
  operator T() const;
};

/// Whether T takes so many initialisers, then a list of `kInside` in braces, then `kAfter`.
template <typename T, std::size_t kBefore, std::size_t kInside, std::size_t kAfter>
consteval bool takes_list() {
  return []<std::size_t... kB, std::size_t... kI, std::size_t... kA>(
             std::index_sequence<kB...>, std::index_sequence<kI...>, std::index_sequence<kA...>) {
    return requires {
      T{(static_cast<void>(kB), AnyField{})...,
        {(static_cast<void>(kI), AnyField{})...},
        (static_cast<void>(kA), AnyField{})...};
    };
  }(std::make_index_sequence<kBefore>(), std::make_index_sequence<kInside>(),
         std::make_index_sequence<kAfter>());
}

/// How many initialisers a struct takes: one for each field, and for each element of an array.
template <typename T, typename... Fields>
consteval std::size_t initialiser_count() {
  if constexpr (requires { T{Fields{}..., AnyField{}}; }) {
    return initialiser_count<T, Fields..., AnyField>();
  } else {
    return sizeof...(Fields);
  }
}

/// How many of them the field at `kAt` takes. A list in the place of a struct leaves the others
/// where they were; one in the place of an array takes the place of as many.
template <typename T, std::size_t kCount, std::size_t kAt, std::size_t kSize = 2>
consteval std::size_t initialisers_of_field() {
  if constexpr (kAt + kSize > kCount || !takes_list<T, kAt, kSize, 0>() ||
                takes_list<T, kAt, kSize, kCount - kAt - 1>()) {
    return kSize - 1;
  } else {
    return initialisers_of_field<T, kCount, kAt, kSize + 1>();
  }
}

template <typename T, std::size_t kCount = initialiser_count<T>(), std::size_t kAt = 0>
consteval int field_count() {
  if constexpr (kAt >= kCount) {
    return 0;
  } else {
    return 1 + field_count<T, kCount, kAt + initialisers_of_field<T, kCount, kAt>()>();
  }
}

/// Calls all(field...) with every field of a struct in order of declaration. C++20 has no pack of
/// structured bindings, so each number of fields is written out.
///
/// Limits   40 fields
template <typename T, typename All>
void with_fields(T& value, const All& all) {
  constexpr int kFields = field_count<std::remove_cv_t<T>>();
  static_assert(kFields >= 1 && kFields <= 40, "a struct with more fields needs each_field(visit)");
  if constexpr (kFields == 1) {
    auto& [f0] = value;
    all(f0);
  }
  if constexpr (kFields == 2) {
    auto& [f0, f1] = value;
    all(f0, f1);
  }
  if constexpr (kFields == 3) {
    auto& [f0, f1, f2] = value;
    all(f0, f1, f2);
  }
  if constexpr (kFields == 4) {
    auto& [f0, f1, f2, f3] = value;
    all(f0, f1, f2, f3);
  }
  if constexpr (kFields == 5) {
    auto& [f0, f1, f2, f3, f4] = value;
    all(f0, f1, f2, f3, f4);
  }
  if constexpr (kFields == 6) {
    auto& [f0, f1, f2, f3, f4, f5] = value;
    all(f0, f1, f2, f3, f4, f5);
  }
  if constexpr (kFields == 7) {
    auto& [f0, f1, f2, f3, f4, f5, f6] = value;
    all(f0, f1, f2, f3, f4, f5, f6);
  }
  if constexpr (kFields == 8) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7);
  }
  if constexpr (kFields == 9) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8);
  }
  if constexpr (kFields == 10) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9);
  }
  if constexpr (kFields == 11) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10);
  }
  if constexpr (kFields == 12) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11);
  }
  if constexpr (kFields == 13) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12);
  }
  if constexpr (kFields == 14) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13);
  }
  if constexpr (kFields == 15) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14);
  }
  if constexpr (kFields == 16) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15);
  }
  if constexpr (kFields == 17) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16);
  }
  if constexpr (kFields == 18) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17);
  }
  if constexpr (kFields == 19) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18] =
        value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18);
  }
  if constexpr (kFields == 20) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18,
           f19] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19);
  }
  if constexpr (kFields == 21) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20);
  }
  if constexpr (kFields == 22) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21);
  }
  if constexpr (kFields == 23) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22);
  }
  if constexpr (kFields == 24) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23);
  }
  if constexpr (kFields == 25) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24);
  }
  if constexpr (kFields == 26) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25);
  }
  if constexpr (kFields == 27) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26);
  }
  if constexpr (kFields == 28) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27);
  }
  if constexpr (kFields == 29) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28);
  }
  if constexpr (kFields == 30) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29);
  }
  if constexpr (kFields == 31) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30);
  }
  if constexpr (kFields == 32) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31);
  }
  if constexpr (kFields == 33) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32);
  }
  if constexpr (kFields == 34) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33);
  }
  if constexpr (kFields == 35) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34);
  }
  if constexpr (kFields == 36) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35);
  }
  if constexpr (kFields == 37) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36] =
        value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36);
  }
  if constexpr (kFields == 38) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36,
           f37] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37);
  }
  if constexpr (kFields == 39) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37,
           f38] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37,
        f38);
  }
  if constexpr (kFields == 40) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37,
           f38, f39] = value;
    all(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37,
        f38, f39);
  }
}

}  // namespace systole::cosim
