#include "tests/campaign/random_kernel.h"

#include "tests/campaign/cipher_writer.h"
#include "tests/campaign/function_writer.h"
#include "tests/campaign/loop_writer.h"
#include "tests/campaign/module_writer.h"
#include "tests/campaign/network_writer.h"
#include "tests/campaign/thread_writer.h"
#include "tests/campaign/wrong_kernel.h"

namespace systole::tests {

const char* form_name(Form form) {
  switch (form) {
    case Form::kFunction:
      return "function";
    case Form::kModule:
      return "module";
    case Form::kThread:
      return "thread";
    case Form::kCiphers:
      return "ciphers";
    case Form::kLoops:
      return "loops";
    case Form::kNetworks:
      return "networks";
    case Form::kWrong:
      return "wrong";
  }
  return "";
}

RandomKernel random_kernel(Form form, std::uint64_t seed, const std::string& name) {
  Random random(seed);
  if (form == Form::kFunction) return {name, random_pipeline(random, name)};
  if (form == Form::kCiphers) return {name, random_cipher(random, name)};
  if (form == Form::kWrong) return {name, wrong_kernel(seed, name).wrong};
  if (form == Form::kLoops) return {name, random_loops(random, name)};
  if (form == Form::kNetworks) return {name, random_network(random, name)};
  if (form == Form::kThread) return {name, random_thread(random, name)};
  return {name, random_module(random, name).text};
}

}  // namespace systole::tests
