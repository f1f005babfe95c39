#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "host/graph/ops.h"
#include "host/graph/text.h"
#include "systole.h"
#include "tests/support/random.h"

// Random programs whose outputs lie in the memory of their inputs, beside the same programs with
// memory of their own.
namespace systole::tests {
namespace {

using namespace graph;

constexpr std::int64_t kSize = 5;

/// A program of square matrices: some results are inputs as they are, constants, or one value
/// twice.
struct Donated {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<std::int32_t> updated_by;  ///< by input
};

int below(Random& random, std::size_t count) {
  return static_cast<int>(random.below(static_cast<std::uint32_t>(count)));
}

Value small(Value x) { return clamp(constant_like(x, -4), x, constant_like(x, 4)); }

Value make(Random& random, const std::vector<Value>& values, bool may_multiply) {
  const Value a = values[below(random, values.size())], b = values[below(random, values.size())];
  switch (below(random, may_multiply ? 10 : 6)) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return maximum(a, b);
    case 3:
      return transpose(a, {1, 0}) + b;
    case 4:
      return -a;
    case 5:
      return small(a) * small(b);
    case 6:
      return reverse(a, {0}) - b;
    case 7:
      return a + broadcast_to(reshape(sum(b, {1}), {kSize, 1}), b.shape());
    case 8:
      return reshape(reshape(a, {kSize * kSize}), {kSize, kSize});
    default:
      return matmul(small(a), small(b));
  }
}

// of_step: with what compiled steps have alone.
Donated draw(std::uint64_t seed, Element element, bool donates, bool of_step) {
  Random random(seed);
  Donated drawn;
  Graph& graph = *drawn.graph;
  const Type type{element, {kSize, kSize}};
  std::vector<Value> inputs, values;
  const int input_count = 1 + below(random, 4);
  for (int i = 0; i < input_count; ++i) inputs.push_back(graph.input(fmt::format("x{}", i), type));
  values = inputs;
  values.push_back(broadcast_to(constant(graph, {element, {}}, 3), type.shape));
  const int work = below(random, 6);
  for (int i = 0; i < work; ++i) {
    values.push_back(make(random, values, element == Element::kF32 && !of_step));
    if (of_step && below(random, 3) == 0) {
      const Value a = values[below(random, values.size())],
                  b = values[below(random, inputs.size())];
      values.push_back(matmul(small(a), small(b)));
    }
  }
  const int output_count = 1 + below(random, 5);
  drawn.updated_by.assign(inputs.size(), -1);
  std::map<int, int> input_of;  // by output
  for (int i = 0; i < input_count; ++i) {
    const int output = below(random, static_cast<std::size_t>(output_count));
    if (below(random, 4) != 0 && input_of.emplace(output, i).second) drawn.updated_by[i] = output;
  }
  for (int j = 0; j < output_count; ++j) {
    const bool is_input = below(random, 2) == 0;
    Value value =
        is_input ? inputs[below(random, inputs.size())] : values[below(random, values.size())];
    const std::string name = fmt::format("y{}", j);
    const auto input = input_of.find(j);
    if (input != input_of.end() && donates) {
      graph.update(inputs[input->second], name, value);
    } else {
      graph.output(name, value);
    }
  }
  return drawn;
}

using Words = std::vector<std::uint32_t>;

std::vector<Words> draw_inputs(std::uint64_t seed, Element element, std::size_t count) {
  Random random(seed + 1'000'000);
  std::vector<Words> inputs(count, Words(kSize * kSize));
  for (Words& words : inputs) {
    for (std::uint32_t& word : words) {
      const int value = below(random, 9) - 4;
      word = element == Element::kF32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                      : static_cast<std::uint32_t>(value);
    }
  }
  return inputs;
}

systole_buffer buffer(Words& words) {
  return {nullptr, words.data(), static_cast<std::int64_t>(4 * words.size())};
}

systole_device* open_small(const char* name) {
  const systole_options options{
      .configuration = nullptr, .array_size = 4, .threads = 2, .precision = nullptr, .cores = 0};
  systole_device* device = nullptr;
  REQUIRE(systole_open(name, &options, &device) == SYSTOLE_OK);
  return device;
}

std::vector<Words> make_outputs(const systole_program* program) {
  std::vector<Words> outputs;
  for (int i = 0; i < systole_output_count(program); ++i) {
    systole_port port{};
    REQUIRE(systole_output(program, i, &port) == SYSTOLE_OK);
    outputs.emplace_back(static_cast<std::size_t>(port.size_bytes / 4), 0xdeadbeefU);
  }
  return outputs;
}

/// Runs text; each donated output lies in its input's memory where `in_place` says so.
std::vector<Words> run(systole_device* device, const std::string& text, std::vector<Words> inputs,
                       const std::vector<std::int32_t>& updated_by, std::uint32_t in_place) {
  systole_program* program = nullptr;
  INFO(text << systole_error());
  REQUIRE(systole_compile(device, text.data(), text.size(), &program) == SYSTOLE_OK);
  std::vector<Words> outputs = make_outputs(program);
  std::vector<systole_buffer> from, to;
  for (Words& words : inputs) from.push_back(buffer(words));
  for (Words& words : outputs) to.push_back(buffer(words));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (updated_by[i] >= 0 && (in_place >> i & 1) != 0) {
      to[static_cast<std::size_t>(updated_by[i])] = from[i];
    }
  }
  REQUIRE(systole_run(program, from.data(), static_cast<std::int32_t>(from.size()), to.data(),
                      static_cast<std::int32_t>(to.size())) == SYSTOLE_OK);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (updated_by[i] >= 0 && (in_place >> i & 1) != 0) {
      outputs[static_cast<std::size_t>(updated_by[i])] = inputs[i];
    }
  }
  systole_release(program);
  return outputs;
}

TEST_CASE("outputs in their inputs' memory are those with memory of their own", "[donation]") {
  constexpr std::uint64_t kPrograms = 400;
  for (const char* name : {"cpu", "model"}) {
    systole_device* device = open_small(name);
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
      const Element element = seed % 4 == 3 ? Element::kS32 : Element::kF32;
      const Donated donated = draw(seed, element, true, false);
      const auto inputs = draw_inputs(seed, element, donated.updated_by.size());
      const std::string text = print(*donated.graph);
      INFO(name << " seed " << seed << "\n" << text);
      const std::string plain = print(*draw(seed, element, false, false).graph);
      const auto expected = run(device, plain, inputs, donated.updated_by, 0);
      const std::uint32_t some = Random(seed + 7).below(16);
      CHECK(run(device, text, inputs, donated.updated_by, 0) == expected);
      CHECK(run(device, text, inputs, donated.updated_by, some) == expected);
      CHECK(run(device, text, inputs, donated.updated_by, 15) == expected);
    }
    systole_close(device);
  }
}

TEST_CASE("a whole step's updates are those of this processor, whatever it returns", "[donation]") {
  constexpr std::uint64_t kPrograms = 300;
  systole_device* cpu = open_small("cpu");
  systole_device* device = open_small("model");
  int ran = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Donated donated = draw(seed, Element::kF32, true, true);
    const std::string text = print(*donated.graph);
    INFO("seed " << seed << "\n" << text);
    systole_program* program = nullptr;
    if (systole_compile_step(device, text.data(), text.size(), nullptr, 0, &program) !=
        SYSTOLE_OK) {
      CHECK_THAT(systole_error(), !Catch::Contains("internal"));
      continue;
    }
    ++ran;
    auto inputs = draw_inputs(seed, Element::kF32, donated.updated_by.size());
    std::vector<Words> outputs = make_outputs(program);
    for (int step = 0; step < 2; ++step) {
      const auto expected = run(cpu, text, inputs, donated.updated_by, 0);
      std::vector<systole_buffer> from, to;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool is_there = step > 0 && donated.updated_by[i] >= 0;
        from.push_back(is_there ? systole_buffer{} : buffer(inputs[i]));
      }
      for (Words& words : outputs) to.push_back(buffer(words));
      REQUIRE(systole_run(program, from.data(), static_cast<std::int32_t>(from.size()), to.data(),
                          static_cast<std::int32_t>(to.size())) == SYSTOLE_OK);
      for (std::size_t j = 0; j < outputs.size(); ++j) {
        INFO("step " << step << ", output " << j);
        for (std::size_t k = 0; k < outputs[j].size(); ++k) {  // the device has one zero
          CHECK(std::bit_cast<float>(outputs[j][k]) == std::bit_cast<float>(expected[j][k]));
        }
      }
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (donated.updated_by[i] >= 0) {
          inputs[i] = expected[static_cast<std::size_t>(donated.updated_by[i])];
        }
      }
    }
    systole_release(program);
  }
  CHECK(ran > 30);
  systole_close(device);
  systole_close(cpu);
}

}  // namespace
}  // namespace systole::tests
