#include <hob/dataset.h>

#include <zlib.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>

// Images and labels in IDX files, as MNIST, Fashion-MNIST, KMNIST and EMNIST come: a big-endian
// header of a magic number and the sizes, then bytes. Format: Y. LeCun, C. Cortes, C. Burges, "The
// MNIST database of handwritten digits". Files may be gzipped, whatever their names; everything is
// checked, and then kept in memory.

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kLabelsMagic = 2049;  // 0x08: bytes; 01 or 03: dimensions
constexpr uint32_t kImagesMagic = 2051;
constexpr uint64_t kMaxInflation = 1032;  // no deflate stream expands more than this

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw hob::Error(file.string() + ": " + why, HOB_ERROR_INVALID);
}

std::string kind_of(uint32_t magic) {
  if (magic == kLabelsMagic) return "a file of labels (magic number 2049)";
  if (magic == kImagesMagic) return "a file of images (magic number 2051)";
  return "no IDX file of bytes (magic number " + std::to_string(magic) + ")";
}

struct CloseFile {
  void operator()(gzFile file) const { gzclose(file); }
};

// One file, decompressed as it is read where its content is gzip.
class IdxFile {
 public:
  IdxFile(const fs::path& path, uint32_t magic) : path_(path) {
    if (!fs::is_regular_file(path)) refuse(path, "this is not a file");
    file_.reset(gzopen(path.c_str(), "rb"));
    if (!file_) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
    const uint32_t found = number();
    if (found != magic) {
      refuse(path, "this is " + kind_of(found) + "; expected " + kind_of(magic) +
                       ": look at the dataset's parameters images and labels");
    }
    sizes_.resize(magic & 0xff);
    for (uint32_t& size : sizes_) size = number();
  }

  const std::vector<uint32_t>& sizes() const { return sizes_; }

  // All elements. Nothing is reserved on the word of the header alone.
  std::vector<uint8_t> content() {
    const uint64_t limit = fs::file_size(path_) * (gzdirect(file_.get()) ? 1 : kMaxInflation);
    uint64_t expected = 1;
    for (const uint32_t size : sizes_) {
      expected *= size;
      if (expected > limit) {
        refuse(path_, "the header announces " + shape() +
                          " elements, more than the file can hold: it is damaged or cut short");
      }
    }
    std::vector<uint8_t> bytes(expected + 1);  // one more, to find bytes after the end
    const uint64_t count = read(bytes.data(), bytes.size());
    if (count < expected) {
      refuse(path_, "ends after " + std::to_string(count) + " of " + std::to_string(expected) +
                        " elements: download it again");
    }
    if (count > expected) {
      refuse(path_, "has bytes after its " + std::to_string(expected) + " elements " + shape());
    }
    bytes.pop_back();
    return bytes;
  }

 private:
  uint64_t read(uint8_t* out, uint64_t size) {
    uint64_t done = 0;
    while (done < size) {
      constexpr uint64_t kChunk = 1u << 30;  // gzread counts in int
      const int count =
          gzread(file_.get(), out + done, static_cast<unsigned>(std::min(size - done, kChunk)));
      int code = Z_OK;
      const char* text = gzerror(file_.get(), &code);
      if (count < 0 || code != Z_OK) {
        refuse(path_, std::string("is damaged: ") + text);
      }
      if (count == 0) break;
      done += static_cast<uint64_t>(count);
    }
    return done;
  }
  uint32_t number() {
    std::array<uint8_t, 4> b{};
    if (read(b.data(), b.size()) != b.size()) refuse(path_, "ends within its header");
    return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | b[3];
  }
  std::string shape() const {
    const std::vector<int64_t> sizes(sizes_.begin(), sizes_.end());
    return hob::shape_text(sizes);
  }

  fs::path path_;
  std::unique_ptr<gzFile_s, CloseFile> file_;
  std::vector<uint32_t> sizes_;
};

struct IdxConfig {
  hob::Path path;
  std::string split, images, labels;
  int64_t classes;
  HOB_SCHEMA(IdxConfig, HOB_PARAM(path, hob::required, "folder that holds the files"),
             HOB_PARAM(split, "train", hob::one_of("train", "test"),
                       "which of MNIST's two pairs of files: train-* or t10k-*"),
             HOB_PARAM(images, "", "file name of the images, instead of the split's"),
             HOB_PARAM(labels, "", "file name of the labels, instead of the split's"),
             HOB_PARAM(classes, 10, hob::ge(1), "labels are 0 .. classes - 1"))
};

class Idx : public hob::Dataset<IdxConfig> {
 public:
  Idx() {
    IdxFile images(locate(config.images, "-images-idx3-ubyte"), kImagesMagic);
    const fs::path labels_path = locate(config.labels, "-labels-idx1-ubyte");
    IdxFile labels(labels_path, kLabelsMagic);
    const uint32_t count = images.sizes()[0];
    if (labels.sizes()[0] != count) {
      refuse(labels_path, "holds " + std::to_string(labels.sizes()[0]) + " labels for " +
                              std::to_string(count) + " images");
    }
    height_ = images.sizes()[1];
    width_ = images.sizes()[2];
    pixels_ = images.content();
    labels_ = labels.content();
    for (size_t i = 0; i < labels_.size(); ++i) {
      if (labels_[i] < config.classes) continue;
      refuse(labels_path, "label " + std::to_string(labels_[i]) + " of sample " +
                              std::to_string(i) +
                              " is not below classes = " + std::to_string(config.classes));
    }
  }

  uint64_t size() const override { return labels_.size(); }
  std::vector<hob::Field> fields() const override {
    return {hob::field("image", HOB_UINT8, {1, height_, width_}),
            hob::field("label", HOB_INT64, {}, config.classes)};
  }
  void read(uint64_t index, std::span<const hob::View> out) const override {
    const auto bytes = static_cast<size_t>(height_ * width_);
    std::memcpy(out[0].data, pixels_.data() + index * bytes, bytes);
    *static_cast<int64_t*>(out[1].data) = labels_[index];
  }

 private:
  fs::path locate(const std::string& name, const std::string& suffix) const {
    const std::string usual = (config.split == "train" ? "train" : "t10k") + suffix;
    const fs::path plain = fs::path(config.path.c_str()) / (name.empty() ? usual : name);
    const fs::path zipped = plain.string() + ".gz";
    if (fs::exists(plain)) return plain;
    if (name.empty() && fs::exists(zipped)) return zipped;
    refuse(plain, std::string("there is no such file") +
                      (name.empty() ? ", nor one with .gz" : "") +
                      ". Debian's package dataset-fashion-mnist has its files in "
                      "/usr/share/datasets/fashion-mnist");
  }

  int64_t height_ = 0;
  int64_t width_ = 0;
  std::vector<uint8_t> pixels_;  // (N, H, W)
  std::vector<uint8_t> labels_;  // (N)
};

}  // namespace

HOB_PLUGIN("org.hob.idx", "0.1.0",
           hob::add<Idx>("idx", "Images and labels in IDX files: MNIST and its family"))
