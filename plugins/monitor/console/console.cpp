#include <hob/monitor.h>

#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

// Shows the run on standard output. On a terminal, one line that is drawn anew:
//   [#######-------]  update 450/1000  epoch 2/4  loss 0.531  accuracy 0.871  2140 samples/s  left
//   3m 20s
// Elsewhere, and where NO_COLOR is set or TERM is "dumb", plain lines at a limited rate, without
// any control character. Evaluations get a line of their own. A reader that goes away ("| head")
// silences the monitor and never the run.

namespace {

struct ConsoleConfig {
  int64_t every;
  double interval_s;
  HOB_SCHEMA(ConsoleConfig,
             HOB_PARAM(every, 10, hob::ge(1), hob::cosmetic, hob::resumable, hob::unit("updates"),
                       "period of looking; each waits for the device"),
             HOB_PARAM(interval_s, 5.0, hob::ge(0), hob::cosmetic, hob::resumable, hob::unit("s"),
                       "least time between plain lines of training"))
};

// Keeps a write to a closed pipe from ending the process: the signal is held back, and taken away.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&signals_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signals_, before_;
  bool was_pending_;
};

bool is_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && *term &&
         std::string_view(term) != "dumb";
}

size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

template <class... Values>
std::string format(const char* text, Values... values) {
  char out[128];
  std::snprintf(out, sizeof out, text, values...);
  return out;
}

std::string duration(double seconds) {
  const auto s = static_cast<long long>(std::clamp(seconds, 0.0, 1e12));
  if (s < 60) return format("%llds", s);
  if (s < 3600) return format("%lldm %02llds", s / 60, s % 60);
  if (s < 86400) return format("%lldh %02lldm", s / 3600, s / 60 % 60);
  return format("%lldd %02lldh", s / 86400, s / 3600 % 24);
}

std::string numbers(const hob::Event& event,
                    std::initializer_list<std::string_view> left_out = {}) {
  std::string text;
  for (const hob_scalar& s : event.scalars()) {
    if (std::find(left_out.begin(), left_out.end(), s.name) != left_out.end()) continue;
    text += "  " + std::string(s.name) + format(" %.4g", s.value);
  }
  return text;
}

class Console : public hob::Monitor<ConsoleConfig> {
 public:
  hob::Interest interest() const override {
    return {HOB_EVENT_RUN_BEGIN | HOB_EVENT_UPDATE_END | HOB_EVENT_EVAL_END | HOB_EVENT_RUN_END,
            static_cast<uint64_t>(config.every), /*scalars=*/true};
  }

  void on_event(const hob::Event& event) override {
    switch (event->kind) {
      case HOB_EVENT_RUN_BEGIN:
        terminal_ = is_terminal();
        begin_update_ = event->update;
        break;
      case HOB_EVENT_UPDATE_END:
        return show_update(event);
      case HOB_EVENT_EVAL_END:
        evaluated_ = numbers(event, {"loss"});
        print_line(format("eval at update %llu", count(event->update)) + numbers(event));
        break;
      default:
        print_line(format("%s after %llu updates in ",
                          event->update < event->total_updates ? "stopped" : "done",
                          count(event->update)) +
                   duration(event->elapsed_s));
    }
    mark(event);
  }

 private:
  static unsigned long long count(uint64_t n) { return n; }

  void mark(const hob::Event& event) {
    marked_s_ = event->elapsed_s;
    marked_samples_ = event->samples;
  }

  void show_update(const hob::Event& event) {
    if (!terminal_ && shown_ && event->elapsed_s - shown_s_ < config.interval_s) return;
    const double passed = event->elapsed_s - marked_s_;
    const double rate =
        passed > 0 ? static_cast<double>(event->samples - marked_samples_) / passed : 0;
    const auto done = static_cast<double>(event->update - begin_update_);
    const auto left = static_cast<double>(event->total_updates - event->update);

    std::string text =
        format("update %llu/%llu  epoch %llu/%llu", count(event->update),
               count(event->total_updates), count(std::min(event->epoch + 1, event->total_epochs)),
               count(event->total_epochs)) +
        format("  loss %.4g", event.scalar("loss"));
    if (!terminal_) text += format("  lr %.4g", event.scalar("lr"));
    text += evaluated_ + format("  %.4g samples/s", rate);
    if (done > 0) text += "  left " + duration(event->elapsed_s / done * left);
    if (terminal_) {
      draw(text, static_cast<double>(event->update) / static_cast<double>(event->total_updates));
    } else {
      write(text + "\n");
    }
    shown_ = true;
    shown_s_ = event->elapsed_s;
    mark(event);
  }

  // The cursor returns to the line's beginning, so that a line of the log takes its place.
  void draw(std::string text, double share) {
    const size_t width = terminal_width() - 1;
    if (width >= text.size() + 12) {
      const size_t length = std::min<size_t>(30, width - text.size() - 4);
      const size_t filled =
          std::min(length, static_cast<size_t>(share * static_cast<double>(length)));
      text = "[" + std::string(filled, '#') + std::string(length - filled, '-') + "]  " + text;
    }
    write("\r" + text.substr(0, width) + "\x1b[K\r");
  }

  void print_line(const std::string& text) { write((terminal_ ? "\r\x1b[K" : "") + text + "\n"); }

  static void write(std::string_view text) {
    const WithoutSigpipe guard;
    while (!text.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) return;  // a full pipe that must not be waited for
      if (written < 0) {
        throw hob::Error(std::string("standard output is closed: ") + std::strerror(errno));
      }
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

  bool terminal_ = false;
  bool shown_ = false;
  double shown_s_ = 0;   // when the last line of training was written
  double marked_s_ = 0;  // from where the rate is counted: evaluations are left out
  uint64_t marked_samples_ = 0;
  uint64_t begin_update_ = 0;
  std::string evaluated_;  // results of the last evaluation
};

}  // namespace

HOB_PLUGIN("org.hob.console", "0.1.0",
           hob::add<Console>("console", "Progress on a terminal, plain lines elsewhere"))
