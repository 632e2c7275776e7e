#include "train/stop_signal.h"

#include <signal.h>
#include <unistd.h>

namespace hob::train {
namespace {

volatile sig_atomic_t received_signal = 0;
struct sigaction former_int;
struct sigaction former_term;

// Only what is safe in a handler: a flag, and _exit.
void handle(int number) {
  if (received_signal != 0) _exit(128 + number);
  received_signal = number;
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  struct sigaction action {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &former_int);
  sigaction(SIGTERM, &action, &former_term);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &former_int, nullptr);
  sigaction(SIGTERM, &former_term, nullptr);
}

int StopSignal::received() {
  return received_signal;
}

}  // namespace hob::train
