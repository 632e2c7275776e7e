#include <hob/abi/schedule.h>

#include <cmath>
#include <thread>

#include "base/text.h"
#include "session/verify/stage.h"
#include "session/verify/test.h"

// Schedules: a pure factor, finite and not negative, of any position in a run of any length.

namespace hob::session::verify {
namespace {

struct Question {
  const char* hyper;
  uint64_t update, total;

  std::string text() const {
    return "factor(\"" + std::string(hyper) + "\", " + std::to_string(update) + ", " +
           std::to_string(total) + ")";
  }
};

std::vector<Question> questions(Bench& bench) {
  std::vector<Question> result;
  const auto add = [&](uint64_t update, uint64_t total) {
    for (const char* hyper : {"lr", "weight_decay"}) result.push_back({hyper, update, total});
  };
  constexpr uint64_t kLongest = uint64_t{1} << 62;
  for (const uint64_t total : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{1000}, kLongest}) {
    add(0, total);
    add(total / 2, total);
    add(total, total);
  }
  for (int i = 0; i < 200; ++i) {
    const uint64_t total = 1 + bench.below(uint64_t{1} << bench.below(40));
    add(bench.below(total + 1), total);
  }
  return result;
}

double ask(const host::Instance& instance, const Question& question) {
  double factor = -1;
  instance.call(&hob_schedule::factor, question.hyper, question.update, question.total, &factor);
  return factor;
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void is_finite_and_not_negative(Bench& bench) {
  const Stage stage(bench);
  for (const Question& question : questions(bench)) {
    double factor = 0;
    bench.watch("factor", [&] { factor = ask(*stage.instance, question); });
    expect(std::isfinite(factor) && factor >= 0,
           question.text() + " is " + format_number(factor) +
               "; expected a finite number that is not negative");
  }
  const double first = ask(*stage.instance, {"lr", 0, 1000});
  if (first != 1) bench.note("the first factor on lr is " + format_number(first) + ", not 1");
}

void is_pure(Bench& bench) {
  const Stage stage(bench), other(bench);
  const std::vector<Question> all = questions(bench);
  std::vector<double> answers;
  for (const Question& question : all) answers.push_back(ask(*stage.instance, question));
  for (size_t i = all.size(); i-- > 0;) {
    const double again = ask(*stage.instance, all[i]);
    expect(same(again, answers[i]), all[i].text() + " is " + format_number(answers[i]) +
                                        " when asked first, and " + format_number(again) +
                                        " later: it depends on what was asked before");
    const double elsewhere = ask(*other.instance, all[i]);
    expect(same(elsewhere, answers[i]), all[i].text() + " is " + format_number(answers[i]) +
                                            " in one instance, and " + format_number(elsewhere) +
                                            " in another one with the same parameters");
  }
}

void is_the_same_on_threads(Bench& bench) {
  const Stage stage(bench);
  const std::vector<Question> all = questions(bench);
  std::vector<std::vector<double>> answers(4, std::vector<double>(all.size()));
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& own : answers) {
      threads.emplace_back([&] {
        for (size_t i = 0; i < all.size(); ++i) own[i] = ask(*stage.instance, all[i]);
      });
    }
  }
  for (const std::vector<double>& own : answers) {
    for (size_t i = 0; i < all.size(); ++i) {
      expect(same(own[i], answers[0][i]), all[i].text() + " differs between threads");
    }
  }
}

}  // namespace

std::vector<Test> schedule_tests() {
  return {{"schedule.is_finite_and_not_negative", "schedule", is_finite_and_not_negative},
          {"schedule.is_pure", "schedule", is_pure},
          {"schedule.is_the_same_on_threads", "schedule", is_the_same_on_threads}};
}

}  // namespace hob::session::verify
