#include "tests/data/sentence_files.h"

#include <fstream>
#include <utility>

namespace systole::tests {

void write_small_sentences(const std::filesystem::path& folder, int numbers) {
  std::filesystem::create_directories(folder);
  std::ofstream text(folder / "spa.txt");
  const std::pair<const char*, const char*> verbs[] = {
      {"I see", "Veo"}, {"I want", "Quiero"}, {"I have", "Tengo"}, {"I paint", "Pinto"}};
  const std::pair<const char*, const char*> things[] = {
      {"dogs", "perros"}, {"houses", "casas"}, {"trees", "árboles"}};
  for (const auto& verb : verbs) {
    for (int number = 0; number < numbers; ++number) {
      for (const auto& thing : things) {
        text << verb.first << ' ' << number << ' ' << thing.first << ".\t" << verb.second << ' '
             << number << ' ' << thing.second << ".\n";
      }
    }
  }
}

}  // namespace systole::tests
