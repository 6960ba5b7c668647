// A program with an allocator of its own: operator new and delete are replaced, and delete ends the program at once for memory that this new did not give.
// Nothing that the library allocates may come to it, and nothing of it may be freed by the library, whose free would find no block of its own.
#include <triton/cache.h>
#include <triton/layout.h>
#include <triton/sanitize.h>
#include <triton/tune.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

/// Stands before every block.
struct Header {
  const void *self; // where it was written
  uint64_t mark;
};
constexpr uint64_t mark = 0x7472692d6f776e65;
constexpr size_t room = 64; // keeps any alignment that is asked for without a number
std::atomic<size_t> blocks = 0;

void *allocate(size_t bytes) {
  char *block = static_cast<char *>(std::malloc(bytes + room));
  if (!block)
    throw std::bad_alloc();
  auto *header = reinterpret_cast<Header *>(block);
  *header = {header, mark};
  ++blocks;
  return block + room;
}

void deallocate(void *pointer) noexcept {
  if (!pointer)
    return;
  auto *header = reinterpret_cast<Header *>(static_cast<char *>(pointer) - room);
  if (header->mark != mark || header->self != header) {
    std::fputs("delete of memory that this program's new did not give\n", stderr);
    std::abort();
  }
  header->mark = 0;
  std::free(header);
}

} // namespace

void *operator new(size_t bytes) { return allocate(bytes); }
void *operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void *pointer) noexcept { deallocate(pointer); }
void operator delete[](void *pointer) noexcept { deallocate(pointer); }
void operator delete(void *pointer, size_t) noexcept { deallocate(pointer); }
void operator delete[](void *pointer, size_t) noexcept { deallocate(pointer); }

static const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr = 64, NAME: tl.constexpr = "a name that is longer than any string holds in itself"):
    tl.static_assert(BLOCK < 4096, "a message that is longer than any string holds in itself")
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y + offsets, tl.load(x + offsets, mask=mask) * factor, mask=mask)
)";

static int failures = 0;
static void check(bool condition, const char *what) {
  if (condition)
    return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

static void compileAndLaunch(const triton::Module &module, const std::string &folder) {
  triton::Kernel scale = module.kernel("scale");
  std::vector<float> x(1000, 2.0f), y(1000);
  triton::Options options;
  options.cacheDirectory = folder;
  const std::string longText(100, 'n');
  triton::CompiledKernel compiled =
      scale.launch(triton::cdiv(1000, 64), {x.data(), y.data(), 1000, 1.5f, triton::named("NAME", longText)}, options);
  check(y == std::vector<float>(1000, 3.0f), "the launch");
  check(compiled.stages().size() >= 3 && !compiled.stage("ttir").empty() && compiled.arguments().size() == 4 &&
            !compiled.timings().empty(),
        "what is known of a kernel");
  check(scale.parameters().size() == 6 && module.kernels().size() == 1, "what is known of a module");
  auto wrong = scale.tryLaunch(1, {x.data(), y.data(), 1000, 1.5f, 8192});
  check(!wrong && std::strstr(wrong.error().what(), "a message that is longer"), "an error");
  check(triton::Module::tryLoad("/no/such/folder/of/any/name/that/is/short.py").error().kind() == "FileNotFoundError",
        "a file that is not there");
  auto grid = [](const triton::Config &config) { return triton::Grid(triton::cdiv(1000, config.integer("BLOCK"))); };
  std::vector<triton::Config> configs(3);
  for (size_t index = 0; index < configs.size(); ++index)
    configs[index].arguments = {triton::named("BLOCK", index == 2 ? 8192 : 64 << index)};
  triton::TuneOptions tuneOptions;
  tuneOptions.repetitions = 1;
  tuneOptions.cacheDirectory = folder;
  triton::Tuning tuning = triton::tune(scale, {x.data(), y.data(), 1000, 1.5f}, configs, grid, tuneOptions);
  tuning.launch();
  check(tuning.best < 2 && tuning.measurements[2].error.find("a message") != std::string::npos, "tuning");
}

static void watch(const triton::Module &module) {
  std::vector<float> x(100), y(100);
  triton::CheckedLaunch checked;
  checked.add("x", x.data(), triton::DataType::Float32, {100});
  checked.add("y", y.data(), triton::DataType::Float32, {100});
  triton::Options options;
  options.checkAccesses = true;
  check(!module.kernel("scale").tryLaunch(2, {x.data(), y.data(), 101, 1.0f}, options), "an access out of bounds");
}

static void computeLayouts() {
  auto registers = triton::LinearLayout::identity(4, "register", "a dimension with a name that is rather long").take();
  auto lanes = triton::LinearLayout::identity(32, "lane", "a dimension with a name that is rather long").take();
  auto product = (registers * lanes).take();
  check(product.apply({{"register", 1}, {"lane", 2}}).take()[0].second == 9, "a layout");
  check(product.bases().size() == 2 && product.outputs().size() == 1 && product.matrix().size() == 7 &&
            !product.str().empty() && product.invert().take().invert().take() == product,
        "what is known of a layout");
}

static void lookIntoTheCache(const std::string &folder) {
  triton::cache::Store store(folder);
  std::vector<triton::cache::Entry> entries = store.list();
  check(!entries.empty() && !entries[0].files.empty(), "the cache");
  for (const triton::cache::Entry &entry : entries)
    for (const std::string &file : entry.files)
      check(store.get(entry.name, file).has_value(), "a file of the cache");
  check(!triton::cache::buildId().empty() && triton::cache::parseSize("5M"), "what the cache knows of builds");
  check(triton::cache::seal(R"({"name": "a text that is longer than any string holds in itself"})", {}).has_value(),
        "a seal");
  store.prune(0);
}

int main() {
  char folder[] = "/tmp/triton-allocator-XXXXXX";
  if (!mkdtemp(folder))
    return 1;
  {
    triton::Module module = triton::Module::parse(kernels, "kernels.py");
    compileAndLaunch(module, folder);
    watch(module);
  }
  computeLayouts();
  lookIntoTheCache(folder);
  check(blocks > 20, "that this allocator is used");
  std::printf("%d failures\n", failures);
  return failures != 0 || std::system((std::string("rm -r ") + folder).c_str()) != 0;
}
