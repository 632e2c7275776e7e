// Objectives, metrics and models that are wrong in one thing each, which their names tell.
#include <hob/layers.h>
#include <hob/metric.h>
#include <hob/model.h>
#include <hob/objective.h>

#include <cmath>

namespace {

struct NoConfig {
  HOB_SCHEMA(NoConfig)
};

// The sum of squares of the logits; the weight is the number of samples.
struct Squares : hob::Objective<NoConfig> {
  void weights(hob::NamedViews batch, std::span<double> out) const override {
    out[0] = static_cast<double>(hob::find(batch, "label").shape[0]);
  }
  std::vector<hob::Tensor> sums(hob::NamedTensors outputs, hob::NamedTensors) override {
    const hob::TensorRef logits = hob::find(outputs, "logits");
    std::vector<hob::Tensor> result;
    result.push_back(hob::sum(hob::mul(logits, logits)));
    return result;
  }
};

struct NegativeWeights : Squares {
  void weights(hob::NamedViews, std::span<double> out) const override { out[0] = -1; }
};

struct Averages : Squares {
  std::vector<hob::Tensor> sums(hob::NamedTensors outputs, hob::NamedTensors batch) override {
    const auto samples = static_cast<double>(hob::find(outputs, "logits").size(0));
    std::vector<hob::Tensor> result;
    result.push_back(hob::mul(Squares::sums(outputs, batch)[0], 1 / samples));
    return result;
  }
};

struct StopsGradients : Squares {
  std::vector<hob::Tensor> sums(hob::NamedTensors outputs, hob::NamedTensors batch) override {
    std::vector<hob::Tensor> result;
    result.push_back(hob::detach(Squares::sums(outputs, batch)[0]));
    return result;
  }
};

// The mean of the logits, from their sum and their number.
struct Mean : hob::Metric<NoConfig> {
  std::vector<hob_result> results() const override { return {{"mean", HOB_HIGHER_IS_BETTER, 0}}; }
  hob::Tensor sums(std::span<const hob_named_tensor> outputs,
                   std::span<const hob_named_tensor>) const override {
    const hob::Tensor sum = hob::sum(hob::find(outputs, "logits"), HOB_FLOAT64);
    const auto count = static_cast<double>(hob::find(outputs, "logits").numel());
    const hob::Tensor number = hob::add(hob::mul(sum, 0.0), count);
    const hob::TensorRef both[] = {sum, number};
    return hob::stack(hob::TensorList(both));
  }
  void finish(std::span<const double> sums, std::span<double> out) const override {
    out[0] = sums.empty() ? std::nan("") : sums[0] / sums[1];
  }
};

struct MeanOfMeans : Mean {
  hob::Tensor sums(std::span<const hob_named_tensor> outputs,
                   std::span<const hob_named_tensor> batch) const override {
    const auto count = static_cast<double>(hob::find(outputs, "logits").numel());
    return hob::mul(Mean::sums(outputs, batch), 1 / count);
  }
};

struct InfiniteWhenEmpty : Mean {
  void finish(std::span<const double> sums, std::span<double> out) const override {
    out[0] = sums.empty() ? INFINITY : sums[0] / sums[1];
  }
};

struct TwoOfAName : Mean {
  std::vector<hob_result> results() const override {
    return {{"mean", HOB_HIGHER_IS_BETTER, 0}, {"mean", HOB_LOWER_IS_BETTER, 0}};
  }
  void finish(std::span<const double>, std::span<double> out) const override {
    out[0] = out[1] = 0;
  }
};

// One linear layer on flattened images.
struct Linear : hob::Model<NoConfig> {
  hob::Tensor logits(hob::NamedTensors batch) {
    return layer(hob::flatten(hob::find(batch, "image"), 1));
  }
  std::vector<hob::ModelOutput> forward(hob::NamedTensors batch) override {
    std::vector<hob::ModelOutput> outputs;
    outputs.push_back({"logits", logits(batch)});
    return outputs;
  }
  hob::Linear layer{env(), "layer", 784, 10};
};

struct DropsInEvaluation : Linear {
  std::vector<hob::ModelOutput> forward(hob::NamedTensors batch) override {
    std::vector<hob::ModelOutput> outputs;
    outputs.push_back({"logits", hob::dropout(logits(batch), 0.5, true)});
    return outputs;
  }
};

// 2 x - detach(x) is x, and its gradient is twice as large.
struct WrongGradient : Linear {
  std::vector<hob::ModelOutput> forward(hob::NamedTensors batch) override {
    const hob::Tensor x = logits(batch);
    std::vector<hob::ModelOutput> outputs;
    outputs.push_back({"logits", hob::sub(hob::mul(x, 2.0), hob::detach(x))});
    return outputs;
  }
};

struct NoGradient : Linear {
  std::vector<hob::ModelOutput> forward(hob::NamedTensors batch) override {
    std::vector<hob::ModelOutput> outputs;
    outputs.push_back({"logits", hob::detach(logits(batch))});
    return outputs;
  }
};

// Counts its calls in a buffer, in evaluation too.
struct CountsInEvaluation : Linear {
  std::vector<hob::ModelOutput> forward(hob::NamedTensors batch) override {
    count();
    return Linear::forward(batch);
  }
  void count() {
    const hob::NoGrad no_grad;
    const float one = 1;
    hob::add_(calls->value, hob::Tensor::from(&one, HOB_FLOAT32, {}), 1.0);
  }
  hob::Param* calls = [this] {
    const float zero = 0;
    return hob::add_param(env(), "calls", hob::Tensor::from(&zero, HOB_FLOAT32, {}), HOB_ROLE_NORM,
                          HOB_PARAM_BUFFER);
  }();
};

}  // namespace

HOB_PLUGIN("org.example.wrong_learning", "1.0.0",
           hob::add<Squares>("squares", "Nothing is wrong with it", hob::trait("decomposable")),
           hob::add<NegativeWeights>("negative_weights", "", hob::trait("decomposable")),
           hob::add<Averages>("averages", "", hob::trait("decomposable")),
           hob::add<StopsGradients>("stops_gradients", "", hob::trait("decomposable")),
           hob::add<Mean>("mean", "Nothing is wrong with it"),
           hob::add<MeanOfMeans>("mean_of_means", ""),
           hob::add<InfiniteWhenEmpty>("infinite_when_empty", ""),
           hob::add<TwoOfAName>("two_of_a_name", ""),
           hob::add<Linear>("linear", "Nothing is wrong with it"),
           hob::add<DropsInEvaluation>("drops_in_evaluation", ""),
           hob::add<WrongGradient>("wrong_gradient", ""), hob::add<NoGradient>("no_gradient", ""),
           hob::add<CountsInEvaluation>("counts_in_evaluation", ""))
