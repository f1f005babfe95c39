// A network that translates: a GRU reads a sentence, another one with attention writes it in
// English.
//
// Learns from English-Spanish sentence pairs (scripts/fetch_data spa-eng), its matrix products in
// bf16 on the device model, and translates sentences that it has not seen.
//
//   build/bin/translate_sentences                     4,000 short pairs, eight times; minutes
//   build/bin/translate_sentences 256 2               256 pairs, twice; seconds, and no use
//   SYSTOLE_DATA_DIR=folder build/bin/translate_sentences
//
// Expect a loss of about 1.4 after eight epochs, BLEU of about 5, and among nonsense some sentences
// that are right: for BLEU of 20, learn from 20,000 pairs as docs/nmt.md does. The same bits each
// time.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "host/data/parallel_text.h"
#include "host/nn/translation/bleu.h"
#include "host/nn/translation/translation_data.h"
#include "host/nn/translation/translator.h"

using namespace systole;
using namespace systole::nn;

void run(std::int64_t sentences, std::int64_t epochs) {
  const auto data = make_translation_data(
      load_parallel_text(),
      {.sentences = sentences, .held_out = 200, .max_words = 5, .vocabulary = 1000});

  Translator translator({.source_words = data.source.size(),
                         .target_words = data.target.size(),
                         .embedding_size = 128,
                         .units = 128,
                         .optimizer = {.learning_rate = 0.004f},
                         .device = Device::open("model")});
  const auto history = translator.fit(data.train, {.epochs = epochs, .batch_size = 64});
  for (const auto& epoch : history.epochs) {
    fmt::print("loss {:.4f}, accuracy {:.4f}, {:.1f} s\n", epoch.loss, epoch.accuracy,
               epoch.seconds);
  }

  std::vector<std::vector<std::int32_t>> sources, references;
  for (const TokenPair& pair : data.held_out) {
    sources.push_back(pair.source);
    references.emplace_back(pair.target.begin() + 1, pair.target.end() - 1);
  }
  const auto translations = translator.translate(sources, 10);
  for (std::size_t i = 0; i < 5; ++i) {
    fmt::print("{} -> {}\n", data.source.decode(sources[i]), data.target.decode(translations[i]));
  }
  fmt::print("BLEU {:.2f} on {} sentences\n", bleu(translations, references).score,
             references.size());
}

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::atoll(argv[1]) : 4000, argc > 2 ? std::atoll(argv[2]) : 8);
    return 0;
  } catch (const std::exception& error) {
    std::fputs(fmt::format("translate_sentences: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
