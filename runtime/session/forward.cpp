#include "session/forward.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "base/text.h"
#include "session/autocast.h"

namespace hob::session {
namespace {

constexpr uint32_t kMaxOutputs = 16;
constexpr uint32_t kMaxTerms = 8;
constexpr uint32_t kMaxInputs = 16;

void check_count(const Session& session, const char* what, uint32_t count, uint32_t most) {
  if (count <= most) return;
  throw Error(Fault::kPlugin, "the model '" + session.model->component() + "' has " +
                                  std::to_string(count) + " " + what + ", at most " +
                                  std::to_string(most) + " are possible");
}

}  // namespace

Outputs::~Outputs() {
  for (const hob_named_tensor& t : tensors_) host::take(t.tensor);
}

std::vector<hob_term> objective_terms(const host::Instance& objective) {
  std::vector<hob_term> terms(kMaxTerms);
  uint32_t count = 0;
  objective.call(&hob_objective::terms, terms.data(), kMaxTerms, &count);
  if (count == 0 || count > kMaxTerms) {
    throw Error(Fault::kPlugin, objective.name() + " (" + objective.component() + ") has " +
                                    std::to_string(count) + " terms, 1 to " +
                                    std::to_string(kMaxTerms) + " are possible");
  }
  terms.resize(count);
  return terms;
}

Forward::Forward(Session& session, std::span<const hob_field> fields)
    : session_(session),
      fields_(fields.begin(), fields.end()),
      terms_(objective_terms(*session.objective)) {
  std::vector<const char*> inputs(kMaxInputs);
  uint32_t count = 0;
  session.model->call(&hob_model::inputs, inputs.data(), kMaxInputs, &count);
  check_count(session, "inputs", count, kMaxInputs);
  inputs.resize(count);
  std::vector<std::string> offered;
  for (const hob_field& f : fields_) offered.emplace_back(f.name);
  for (const char* input : inputs) {
    if (std::find(offered.begin(), offered.end(), input) == offered.end()) {
      throw Error(Fault::kUsage, "the model '" + session.model->component() + "' wants the field " +
                                     quote(input) + ", and the data have " + quote_all(offered));
    }
  }
}

Outputs Forward::run(const data::Batch& batch, bool training) {
  session_.world.pass().training = training ? 1 : 0;
  const auto type = session_.precision.autocast_dtype < 0
                        ? at::ScalarType::Undefined
                        : static_cast<at::ScalarType>(session_.precision.autocast_dtype);
  const AutocastScope autocast(session_.world.device().type(), type, at::GradMode::is_enabled());
  hob_named_tensor raw[kMaxOutputs];
  uint32_t count = 0;
  session_.model->call(&hob_model::forward, batch.tensors().data(),
                       static_cast<uint32_t>(batch.tensors().size()), raw, kMaxOutputs, &count);
  check_count(session_, "outputs", count, kMaxOutputs);
  Outputs outputs;
  outputs.tensors_.assign(raw, raw + count);
  if (!classes_checked_) check_classes(outputs);
  return outputs;
}

// A label beyond the model's outputs would be an assertion on a GPU, long after and without a word.
void Forward::check_classes(const Outputs& outputs) {
  classes_checked_ = true;
  for (const hob_field& field : fields_) {
    if (field.classes == 0) continue;
    for (const hob_named_tensor& output : outputs.tensors()) {
      if (std::string_view(output.name) != "logits") continue;
      const int64_t classes = host::tensor_of(output.tensor).size(-1);
      if (classes >= field.classes) continue;
      throw Error(Fault::kUsage, "the data's field " + quote(field.name) + " has " +
                                     std::to_string(field.classes) + " classes, and the model '" +
                                     session_.model->component() + "' tells only " +
                                     std::to_string(classes) + " apart; raise model.num_classes");
    }
  }
}

std::vector<at::Tensor> Forward::sums(const Outputs& outputs, const data::Batch& batch) {
  hob_tensor* raw[kMaxTerms] = {};
  session_.objective->call(&hob_objective::sums, outputs.tensors().data(),
                           static_cast<uint32_t>(outputs.tensors().size()), batch.tensors().data(),
                           static_cast<uint32_t>(batch.tensors().size()), raw);
  std::vector<at::Tensor> sums;
  for (size_t i = 0; i < terms_.size(); ++i) sums.push_back(host::take(raw[i]));
  return sums;
}

}  // namespace hob::session
