// NULL for every pointer that every C function takes: an error that names it, or an answer of nothing; never the end of the process.
// The table is complete: it is compared with the declarations in the headers.
#include <triton/c_cache.h>
#include <triton/c_cuda.h>
#include <triton/c_layout.h>
#include <triton/c_sanitize.h>

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace {

const char *const source = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def scale(x, y, n, BLOCK: tl.constexpr = 64):\n"
                           "    offsets = tl.arange(0, BLOCK)\n"
                           "    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)\n";

/// What a call that must fail leaves: its message.
class Failure {
public:
  Failure() = default;
  Failure(const Failure &) = delete;
  ~Failure() { triton_error_free(error); }
  triton_error **slot() { return &error; }
  std::string message() const { return triton_error_message(error); }

private:
  triton_error *error = nullptr;
};

triton_grid one(const triton_config *, void *) { return {1, 1, 1}; }

/// Objects that are in order, for the other parameters.
class NullTest : public ::testing::Test {
protected:
  NullTest() {
    table["triton_error_kind"] = {{"error", [] { EXPECT_STREQ(triton_error_kind(nullptr), ""); }}};
    table["triton_error_message"] = {{"error", [] { EXPECT_STREQ(triton_error_message(nullptr), ""); }}};
    table["triton_error_free"] = {{"error", [] { triton_error_free(nullptr); }}};
    table["triton_bytes_data"] = {{"bytes", [] { EXPECT_EQ(triton_bytes_data(nullptr), nullptr); }}};
    table["triton_bytes_size"] = {{"bytes", [] { EXPECT_EQ(triton_bytes_size(nullptr), 0u); }}};
    table["triton_bytes_free"] = {{"bytes", [] { triton_bytes_free(nullptr); }}};
    addModule();
    addKernel();
    addCompiled();
    addTuning();
    addCuda();
    addLayout();
    addSanitizer();
    addCache();
    addRedis();
  }
  ~NullTest() override {
    triton_layout_free(layout);
    triton_compiled_free(compiled);
    triton_kernel_free(kernel);
    triton_module_free(module);
  }

  void addModule();
  void addKernel();
  void addCompiled();
  void addTuning();
  void addCuda();
  void addLayout();
  void addSanitizer();
  void addCache();
  void addRedis();

  /// A call that fails with `what` being NULL, whether or not its error is wanted.
  template <typename Call> std::function<void()> refuses(std::string what, Call call) {
    return [=] {
      Failure failure;
      EXPECT_TRUE(call(failure.slot()));
      EXPECT_EQ(failure.message(), what + " is NULL");
      EXPECT_TRUE(call(nullptr));
    };
  }

  triton_module *module = triton_module_parse(source, "kernels.py", nullptr);
  triton_kernel *kernel = triton_module_kernel(module, "scale", nullptr);
  triton_compiled *compiled = triton_kernel_compile_signature(kernel, "*fp32:16, *fp32:16, i32, 64", nullptr, nullptr);
  triton_layout *layout = triton_layout_identity(4, "register", "dim0", nullptr);
  float x[64] = {}, y[64] = {};
  triton_argument arguments[3] = {triton_pointer(x, TRITON_FLOAT32), triton_pointer(y, TRITON_FLOAT32),
                                  triton_integer(64)};

  /// Function -> parameter -> the call with NULL for it.
  std::map<std::string, std::map<std::string, std::function<void()>>> table;
};

void NullTest::addModule() {
  table["triton_module_load"] = {
      {"path", refuses("path", [](triton_error **error) { return !triton_module_load(nullptr, error); })}};
  table["triton_module_parse"] = {
      {"text", refuses("text", [](triton_error **error) { return !triton_module_parse(nullptr, "a.py", error); })},
      {"name", [] { triton_module_free(triton_module_parse(source, nullptr, nullptr)); }}};
  table["triton_module_parse_text"] = {
      {"text",
       refuses("text", [](triton_error **error) { return !triton_module_parse_text({nullptr, 5}, "a.py", error); })},
      {"name", [] { triton_module_free(triton_module_parse_text({source, 5}, nullptr, nullptr)); }}};
  table["triton_module_kernel_count"] = {{"module", [] { EXPECT_EQ(triton_module_kernel_count(nullptr), 0u); }}};
  table["triton_module_kernel_name"] = {{"module", [] { EXPECT_EQ(triton_module_kernel_name(nullptr, 0), nullptr); }}};
  table["triton_module_kernel"] = {
      {"module",
       refuses("module", [](triton_error **error) { return !triton_module_kernel(nullptr, "scale", error); })},
      {"name",
       refuses("name", [this](triton_error **error) { return !triton_module_kernel(module, nullptr, error); })}};
  table["triton_module_retain"] = {{"module", [] { EXPECT_EQ(triton_module_retain(nullptr), nullptr); }}};
  table["triton_module_free"] = {{"module", [] { triton_module_free(nullptr); }}};
}

void NullTest::addKernel() {
  table["triton_kernel_name"] = {{"kernel", [] { EXPECT_EQ(triton_kernel_name(nullptr), nullptr); }}};
  table["triton_kernel_parameter_count"] = {{"kernel", [] { EXPECT_EQ(triton_kernel_parameter_count(nullptr), 0u); }}};
  table["triton_kernel_parameter_name"] = {
      {"kernel", [] { EXPECT_EQ(triton_kernel_parameter_name(nullptr, 0), nullptr); }}};
  table["triton_kernel_parameter_annotation"] = {
      {"kernel", [] { EXPECT_EQ(triton_kernel_parameter_annotation(nullptr, 0), nullptr); }}};
  table["triton_kernel_parameter_is_constexpr"] = {
      {"kernel", [] { EXPECT_EQ(triton_kernel_parameter_is_constexpr(nullptr, 0), 0); }}};
  table["triton_kernel_parameter_has_default"] = {
      {"kernel", [] { EXPECT_EQ(triton_kernel_parameter_has_default(nullptr, 0), 0); }}};
  auto launch = [](const triton_kernel *kernel, const triton_argument *arguments, triton_error **error) {
    return triton_kernel_launch(kernel, 1, 1, 1, arguments, 3, nullptr, error);
  };
  auto run = [](const triton_kernel *kernel, const triton_argument *arguments, triton_error **error) {
    triton_compiled *compiled = triton_kernel_run(kernel, 1, 1, 1, arguments, 3, nullptr, error);
    triton_compiled_free(compiled);
    return !compiled;
  };
  auto compile = [](const triton_kernel *kernel, const triton_argument *arguments, triton_error **error) {
    triton_compiled *compiled = triton_kernel_compile(kernel, arguments, 3, nullptr, error);
    triton_compiled_free(compiled);
    return !compiled;
  };
  auto add = [this](const char *name, auto call) {
    table[name] = {
        {"kernel", refuses("kernel", [=, this](triton_error **error) { return call(nullptr, arguments, error); })},
        {"arguments",
         [=, this] {
           Failure failure;
           EXPECT_TRUE(call(kernel, nullptr, failure.slot()));
           EXPECT_EQ(failure.message(), "arguments is NULL, though there are 3");
         }},
        {"options", [=, this] { EXPECT_FALSE(call(kernel, arguments, nullptr)); }}};
  };
  add("triton_kernel_launch", launch);
  add("triton_kernel_run", run);
  add("triton_kernel_compile", compile);
  table["triton_kernel_compile_signature"] = {
      {"kernel",
       refuses("kernel",
               [](triton_error **error) { return !triton_kernel_compile_signature(nullptr, "i32", nullptr, error); })},
      {"signature", refuses("signature",
                            [this](triton_error **error) {
                              return !triton_kernel_compile_signature(kernel, nullptr, nullptr, error);
                            })},
      {"options", [this] { EXPECT_NE(compiled, nullptr); }}};
  table["triton_kernel_retain"] = {{"kernel", [] { EXPECT_EQ(triton_kernel_retain(nullptr), nullptr); }}};
  table["triton_kernel_free"] = {{"kernel", [] { triton_kernel_free(nullptr); }}};
}

void NullTest::addCompiled() {
  table["triton_compiled_name"] = {{"compiled", [] { EXPECT_EQ(triton_compiled_name(nullptr), nullptr); }}};
  table["triton_compiled_stage_count"] = {{"compiled", [] { EXPECT_EQ(triton_compiled_stage_count(nullptr), 0u); }}};
  table["triton_compiled_stage_name"] = {
      {"compiled", [] { EXPECT_EQ(triton_compiled_stage_name(nullptr, 0), nullptr); }}};
  table["triton_compiled_stage"] = {
      {"compiled",
       [] {
         size_t size = 7;
         EXPECT_EQ(triton_compiled_stage(nullptr, "ttir", &size), nullptr);
         EXPECT_EQ(size, 0u);
       }},
      {"name", [this] { EXPECT_EQ(triton_compiled_stage(compiled, nullptr, nullptr), nullptr); }},
      {"size", [this] { EXPECT_NE(triton_compiled_stage(compiled, "ttir", nullptr), nullptr); }}};
  table["triton_compiled_timing"] = {
      {"compiled", [] { EXPECT_EQ(triton_compiled_timing(nullptr, 0, nullptr), nullptr); }},
      {"milliseconds", [this] { EXPECT_NE(triton_compiled_timing(compiled, 0, nullptr), nullptr); }}};
  table["triton_compiled_argument_name"] = {
      {"compiled", [] { EXPECT_EQ(triton_compiled_argument_name(nullptr, 0), nullptr); }}};
  table["triton_compiled_argument_type"] = {
      {"compiled", [] { EXPECT_EQ(triton_compiled_argument_type(nullptr, 0), nullptr); }}};
  table["triton_compiled_retain"] = {{"compiled", [] { EXPECT_EQ(triton_compiled_retain(nullptr), nullptr); }}};
  table["triton_compiled_free"] = {{"compiled", [] { triton_compiled_free(nullptr); }}};
}

void NullTest::addTuning() {
  using Callback = triton_grid (*)(const triton_config *, void *);
  // The parameters that both have, then what is NULL for them.
  auto add = [this](const char *name, auto tune) {
    static const triton_config config = {nullptr, 0, nullptr};
    auto call = [=](const triton_kernel *kernel, Callback grid, const triton_argument *arguments,
                    const triton_config *configs, triton_error **error) {
      triton_tuning *tuning = tune(kernel, grid, arguments, configs, error);
      triton_tuning_free(tuning);
      return !tuning;
    };
    table[name] = {
        {"kernel",
         refuses("kernel", [=, this](triton_error **error) { return call(nullptr, one, arguments, &config, error); })},
        {"grid",
         refuses("grid", [=, this](triton_error **error) { return call(kernel, nullptr, arguments, &config, error); })},
        {"configs",
         refuses("configs", [=, this](triton_error **error) { return call(kernel, one, arguments, nullptr, error); })},
        {"arguments",
         [=, this] {
           Failure failure;
           EXPECT_TRUE(call(kernel, one, nullptr, &config, failure.slot()));
           EXPECT_EQ(failure.message(), "arguments is NULL, though there are 3");
         }},
        {"context", [=, this] { EXPECT_FALSE(call(kernel, one, arguments, &config, nullptr)); }}};
  };
  add("triton_kernel_tune", [](auto kernel, auto grid, auto arguments, auto configs, triton_error **error) {
    return triton_kernel_tune(kernel, grid, nullptr, arguments, 3, configs, 1, error);
  });
  add("triton_kernel_tune_with", [](auto kernel, auto grid, auto arguments, auto configs, triton_error **error) {
    return triton_kernel_tune_with(kernel, grid, nullptr, arguments, 3, configs, 1, nullptr, error);
  });
  table["triton_kernel_tune_with"]["options"] = table["triton_kernel_tune_with"]["context"];
  table["triton_tuning_best"] = {{"tuning", [] { EXPECT_EQ(triton_tuning_best(nullptr), 0u); }}};
  table["triton_tuning_milliseconds"] = {{"tuning", [] { EXPECT_LT(triton_tuning_milliseconds(nullptr, 0), 0); }}};
  table["triton_tuning_error"] = {{"tuning", [] { EXPECT_EQ(triton_tuning_error(nullptr, 0), nullptr); }}};
  table["triton_tuning_was_kept"] = {{"tuning", [] { EXPECT_EQ(triton_tuning_was_kept(nullptr), 0); }}};
  table["triton_tuning_free"] = {{"tuning", [] { triton_tuning_free(nullptr); }}};
}

void NullTest::addCuda() {
  // Where there is no device, that is the error.
  table["triton_cuda_synchronize"] = {{"stream", [] { triton_cuda_synchronize(nullptr, 0, nullptr); }}};
  table["triton_cuda_memory_data"] = {{"memory", [] { EXPECT_EQ(triton_cuda_memory_data(nullptr), nullptr); }}};
  table["triton_cuda_memory_bytes"] = {{"memory", [] { EXPECT_EQ(triton_cuda_memory_bytes(nullptr), 0u); }}};
  auto withMemory = [](auto call) {
    return [=] {
      triton_cuda_memory *memory = triton_cuda_memory_allocate(64, 0, nullptr);
      Failure failure;
      if (memory) {
        EXPECT_TRUE(call(memory, failure.slot()));
        EXPECT_EQ(failure.message(), "host is NULL");
      }
      triton_cuda_memory_free(memory);
    };
  };
  table["triton_cuda_memory_copy_from"] = {
      {"memory",
       refuses("memory", [this](triton_error **error) { return triton_cuda_memory_copy_from(nullptr, x, 64, error); })},
      {"host", withMemory([](auto memory, triton_error **error) {
         return triton_cuda_memory_copy_from(memory, nullptr, 64, error);
       })}};
  table["triton_cuda_memory_copy_to"] = {
      {"memory",
       refuses("memory", [this](triton_error **error) { return triton_cuda_memory_copy_to(nullptr, x, 64, error); })},
      {"host", withMemory([](auto memory, triton_error **error) {
         return triton_cuda_memory_copy_to(memory, nullptr, 64, error);
       })}};
  table["triton_cuda_memory_retain"] = {{"memory", [] { EXPECT_EQ(triton_cuda_memory_retain(nullptr), nullptr); }}};
  table["triton_cuda_memory_free"] = {{"memory", [] { triton_cuda_memory_free(nullptr); }}};
  table["triton_cuda_stream_handle"] = {{"stream", [] { EXPECT_EQ(triton_cuda_stream_handle(nullptr), nullptr); }}};
  table["triton_cuda_stream_synchronize"] = {{"stream", refuses("stream", [](triton_error **error) {
                                                return triton_cuda_stream_synchronize(nullptr, error);
                                              })}};
  table["triton_cuda_stream_retain"] = {{"stream", [] { EXPECT_EQ(triton_cuda_stream_retain(nullptr), nullptr); }}};
  table["triton_cuda_stream_free"] = {{"stream", [] { triton_cuda_stream_free(nullptr); }}};
}

void NullTest::addLayout() {
  auto addNames = [this](const char *name, auto call) {
    table[name] = {{"input", refuses("input", [=](triton_error **error) { return !call(nullptr, "out", error); })},
                   {"output", refuses("output", [=](triton_error **error) { return !call("in", nullptr, error); })}};
  };
  addNames("triton_layout_identity",
           [](auto in, auto out, triton_error **error) { return triton_layout_identity(4, in, out, error); });
  addNames("triton_layout_strided",
           [](auto in, auto out, triton_error **error) { return triton_layout_strided(4, 2, in, out, error); });
  addNames("triton_layout_zeros",
           [](auto in, auto out, triton_error **error) { return triton_layout_zeros(4, in, out, 1, error); });
  table["triton_layout_from_bases"] = {
      {"inputs",
       refuses("inputs",
               [](triton_error **error) { return !triton_layout_from_bases(nullptr, 1, nullptr, 0, error); })},
      {"outputs", refuses("outputs", [](triton_error **error) {
         return !triton_layout_from_bases(nullptr, 0, nullptr, 1, error);
       })}};
  table["triton_layout_input_count"] = {{"layout", [] { EXPECT_EQ(triton_layout_input_count(nullptr), 0u); }}};
  table["triton_layout_output_count"] = {{"layout", [] { EXPECT_EQ(triton_layout_output_count(nullptr), 0u); }}};
  table["triton_layout_input_at"] = {{"layout", [] { EXPECT_EQ(triton_layout_input_at(nullptr, 0).name, nullptr); }}};
  table["triton_layout_output_at"] = {{"layout", [] { EXPECT_EQ(triton_layout_output_at(nullptr, 0).name, nullptr); }}};
  table["triton_layout_basis_part"] = {{"layout", [] { EXPECT_EQ(triton_layout_basis_part(nullptr, 0, 0, 0), 0); }}};
  table["triton_layout_column"] = {{"layout", [] { EXPECT_EQ(triton_layout_column(nullptr, 0), 0u); }}};
  table["triton_layout_apply"] = {{"layout", refuses("layout",
                                                     [](triton_error **error) {
                                                       int64_t values[1];
                                                       return triton_layout_apply(nullptr, nullptr, 0, values, error);
                                                     })},
                                  {"indices", refuses("indices",
                                                      [this](triton_error **error) {
                                                        int64_t values[1];
                                                        return triton_layout_apply(layout, nullptr, 1, values, error);
                                                      })},
                                  {"values", refuses("values", [this](triton_error **error) {
                                     return triton_layout_apply(layout, nullptr, 0, nullptr, error);
                                   })}};
  auto addPair = [this](const char *name, const char *second, auto call) {
    table[name] = {
        {"layout", refuses("layout", [=, this](triton_error **error) { return !call(nullptr, layout, error); })},
        {second, refuses(second, [=, this](triton_error **error) { return !call(layout, nullptr, error); })}};
  };
  addPair("triton_layout_multiply", "other", triton_layout_multiply);
  addPair("triton_layout_compose", "outer", triton_layout_compose);
  addPair("triton_layout_invert_and_compose", "outer", triton_layout_invert_and_compose);
  table["triton_layout_invert"] = {
      {"layout", refuses("layout", [](triton_error **error) { return !triton_layout_invert(nullptr, error); })}};
  table["triton_layout_pseudo_invert"] = {
      {"layout", refuses("layout", [](triton_error **error) { return !triton_layout_pseudo_invert(nullptr, error); })}};
  table["triton_layout_is_surjective"] = {{"layout", [] { EXPECT_EQ(triton_layout_is_surjective(nullptr), 0); }}};
  table["triton_layout_is_injective"] = {{"layout", [] { EXPECT_EQ(triton_layout_is_injective(nullptr), 0); }}};
  table["triton_layout_is_equal"] = {{"layout", [this] { EXPECT_EQ(triton_layout_is_equal(nullptr, layout), 0); }},
                                     {"other", [this] { EXPECT_EQ(triton_layout_is_equal(layout, nullptr), 0); }}};
  table["triton_layout_to_text"] = {
      {"layout", refuses("layout", [](triton_error **error) { return !triton_layout_to_text(nullptr, error); })}};
  table["triton_layout_retain"] = {{"layout", [] { EXPECT_EQ(triton_layout_retain(nullptr), nullptr); }}};
  table["triton_layout_free"] = {{"layout", [] { triton_layout_free(nullptr); }}};
}

void NullTest::addSanitizer() {
  auto call = [](bool hasLaunch, const char *name, const int64_t *shape, triton_error **error) {
    triton_checked_launch *launch = triton_checked_launch_create(1, 1, nullptr);
    int status = triton_checked_launch_add(hasLaunch ? launch : nullptr, name, nullptr, TRITON_FLOAT32, shape, nullptr,
                                           1, error);
    triton_checked_launch_free(launch);
    return status;
  };
  static const int64_t shape[] = {64};
  table["triton_checked_launch_add"] = {
      {"launch", refuses("launch", [=](triton_error **error) { return call(false, "x", shape, error); })},
      {"name", refuses("name", [=](triton_error **error) { return call(true, nullptr, shape, error); })},
      {"shape", refuses("shape", [=](triton_error **error) { return call(true, "x", nullptr, error); })},
      {"data", [=] { EXPECT_EQ(call(true, "x", shape, nullptr), 0); }},
      {"strides", [=] { EXPECT_EQ(call(true, "x", shape, nullptr), 0); }}};
  table["triton_checked_launch_free"] = {{"launch", [] { triton_checked_launch_free(nullptr); }}};
  table["triton_poison"] = {{"data", [] { triton_poison(nullptr, 64); }}};
}

void NullTest::addCache() {
  static const char *const root = "/no/such/folder";
  static const triton_text text = {"{}", 2}, none = {nullptr, 5};
  auto refusesText = [this](const char *function, const char *parameter, auto call) {
    table[function][parameter] = refuses(parameter, call);
  };
  using Slot = triton_error **;
  refusesText("triton_cache_put", "root", [](Slot e) { return triton_cache_put(nullptr, text, text, text, e); });
  refusesText("triton_cache_put", "entry", [](Slot e) { return triton_cache_put(root, none, text, text, e); });
  refusesText("triton_cache_put", "file", [](Slot e) { return triton_cache_put(root, text, none, text, e); });
  refusesText("triton_cache_put", "content", [](Slot e) { return triton_cache_put(root, text, text, none, e); });
  table["triton_cache_get"] = {{"root", [] { EXPECT_EQ(triton_cache_get(nullptr, text, text), nullptr); }},
                               {"entry", [] { EXPECT_EQ(triton_cache_get(root, none, text), nullptr); }},
                               {"file", [] { EXPECT_EQ(triton_cache_get(root, text, none), nullptr); }}};
  table["triton_cache_has"] = {{"root", [] { EXPECT_EQ(triton_cache_has(nullptr, text, text), 0); }},
                               {"entry", [] { EXPECT_EQ(triton_cache_has(root, none, text), 0); }},
                               {"file", [] { EXPECT_EQ(triton_cache_has(root, text, none), 0); }}};
  table["triton_cache_touch"] = {{"root", [] { triton_cache_touch(nullptr, text); }},
                                 {"entry", [] { triton_cache_touch(root, none); }}};
  refusesText("triton_cache_remove", "root", [](Slot e) { return triton_cache_remove(nullptr, text, e); });
  refusesText("triton_cache_remove", "entry", [](Slot e) { return triton_cache_remove(root, none, e); });
  refusesText("triton_cache_list", "root", [](Slot e) { return !triton_cache_list(nullptr, e); });
  refusesText("triton_cache_find", "root", [](Slot e) { return !triton_cache_find(nullptr, text, e); });
  refusesText("triton_cache_find", "entry", [](Slot e) { return !triton_cache_find(root, none, e); });
  refusesText("triton_cache_prune", "root",
              [](Slot e) { return !triton_cache_prune(nullptr, 0, nullptr, nullptr, e); });
  auto prune = [] { triton_cache_listing_free(triton_cache_prune(root, 0, nullptr, nullptr, nullptr)); };
  table["triton_cache_prune"]["bytes_before"] = table["triton_cache_prune"]["bytes_after"] = prune;
  table["triton_cache_listing_name"] = {{"listing", [] { EXPECT_EQ(triton_cache_listing_name(nullptr, 0), nullptr); }}};
  table["triton_cache_listing_file"] = {
      {"listing", [] { EXPECT_EQ(triton_cache_listing_file(nullptr, 0, 0), nullptr); }}};
  table["triton_cache_listing_bytes"] = {{"listing", [] { EXPECT_EQ(triton_cache_listing_bytes(nullptr, 0), 0u); }}};
  table["triton_cache_listing_last_used"] = {
      {"listing", [] { EXPECT_EQ(triton_cache_listing_last_used(nullptr, 0), 0); }}};
  table["triton_cache_listing_is_sealed"] = {
      {"listing", [] { EXPECT_EQ(triton_cache_listing_is_sealed(nullptr, 0), 0); }}};
  table["triton_cache_listing_free"] = {{"listing", [] { triton_cache_listing_free(nullptr); }}};
  table["triton_cache_parse_size"] = {{"text", [] { EXPECT_NE(triton_cache_parse_size(none, nullptr), 0); }},
                                      {"bytes", [] { EXPECT_EQ(triton_cache_parse_size({"5M", 2}, nullptr), 0); }}};
  table["triton_cache_build_id"] = {{"address", [] { triton_bytes_free(triton_cache_build_id(nullptr, nullptr)); }}};
  refusesText("triton_cache_digest_files", "folder",
              [](Slot e) { return !triton_cache_digest_files(nullptr, ".py", e); });
  refusesText("triton_cache_digest_files", "suffix",
              [](Slot e) { return !triton_cache_digest_files(root, nullptr, e); });
  refusesText("triton_cache_tools", "target", [](Slot e) { return !triton_cache_tools(nullptr, "native", "", e); });
  refusesText("triton_cache_tools", "architecture", [](Slot e) { return !triton_cache_tools("cpu", nullptr, "", e); });
  table["triton_cache_tools"]["linker"] = [] {
    triton_bytes_free(triton_cache_tools("cpu", "native", nullptr, nullptr));
  };
  refusesText("triton_cache_seal", "description", [](Slot e) { return !triton_cache_seal(none, nullptr, 0, text, e); });
  refusesText("triton_cache_seal", "files", [](Slot e) { return !triton_cache_seal(text, nullptr, 1, text, e); });
  table["triton_cache_seal"]["secret"] = [] {
    triton_bytes_free(triton_cache_seal(text, nullptr, 0, {nullptr, 0}, nullptr));
  };
  refusesText("triton_cache_find_damage", "description",
              [](Slot e) { return !triton_cache_find_damage(none, nullptr, 0, 0, text, e); });
  refusesText("triton_cache_find_damage", "files",
              [](Slot e) { return !triton_cache_find_damage(text, nullptr, 1, 0, text, e); });
  table["triton_cache_find_damage"]["secret"] = [] {
    triton_bytes_free(triton_cache_find_damage(text, nullptr, 0, 0, {nullptr, 0}, nullptr));
  };
  refusesText("triton_cache_read_secret", "path", [](Slot e) { return !triton_cache_read_secret(nullptr, e); });
  table["triton_cache_read_plain_file"] = {{"path", [] { EXPECT_EQ(triton_cache_read_plain_file(none), nullptr); }}};
  table["triton_cache_variant"] = {{"hash", [] { EXPECT_EQ(triton_cache_variant(none, 0), nullptr); }}};
  table["triton_cache_is_file_name"] = {{"name", [] { EXPECT_EQ(triton_cache_is_file_name(none), 0); }}};
}

void NullTest::addRedis() {
  using Slot = triton_error **;
  static const triton_text text = {"{}", 2}, none = {nullptr, 5};
  table["triton_redis_create"] = {
      {"host", refuses("host", [](Slot e) { return !triton_redis_create(nullptr, 1, 1, e); })}};
  auto with = [](auto call) {
    return [=](Slot error) {
      triton_redis *redis = triton_redis_create("127.0.0.1", 1, 0.1, nullptr);
      int status = call(redis, error);
      triton_redis_free(redis);
      return status;
    };
  };
  static triton_bytes *value = nullptr;
  table["triton_redis_get"] = {
      {"redis", refuses("redis", [](Slot e) { return triton_redis_get(nullptr, &text, 1, &value, e); })},
      {"keys", refuses("keys", with([](auto r, Slot e) { return triton_redis_get(r, nullptr, 1, &value, e); }))},
      {"values", refuses("values", with([](auto r, Slot e) { return triton_redis_get(r, &text, 1, nullptr, e); }))}};
  table["triton_redis_put"] = {
      {"redis", refuses("redis", [](Slot e) { return triton_redis_put(nullptr, text, text, e); })},
      {"key", refuses("key", with([](auto r, Slot e) { return triton_redis_put(r, none, text, e); }))},
      {"value", refuses("value", with([](auto r, Slot e) { return triton_redis_put(r, text, none, e); }))}};
  table["triton_redis_put_first"] = {
      {"redis", refuses("redis", [](Slot e) { return triton_redis_put_first(nullptr, text, text, 1, e); })},
      {"key", refuses("key", with([](auto r, Slot e) { return triton_redis_put_first(r, none, text, 1, e); }))},
      {"value", refuses("value", with([](auto r, Slot e) { return triton_redis_put_first(r, text, none, 1, e); }))}};
  table["triton_redis_retain"] = {{"redis", [] { EXPECT_EQ(triton_redis_retain(nullptr), nullptr); }}};
  table["triton_redis_free"] = {{"redis", [] { triton_redis_free(nullptr); }}};
}

TEST_F(NullTest, EveryPointerOfEveryFunction) {
  for (const auto &[function, parameters] : table)
    for (const auto &[parameter, call] : parameters) {
      SCOPED_TRACE(function + ": " + parameter);
      call();
    }
}

/// Function -> its pointers and texts, as the headers declare them.
std::map<std::string, std::set<std::string>> declared() {
  std::map<std::string, std::set<std::string>> found;
  const std::regex declaration(R"(TRITON_EXPORT[^;()]*?(triton_\w+)\(([^;]*)\);)"),
      parameter(R"((?:\*|triton_text |\(\*)(\w+)$)");
  for (const auto &entry : std::filesystem::directory_iterator(HEADERS)) {
    if (!std::regex_match(entry.path().filename().string(), std::regex(R"(c(_\w+)?\.h)")))
      continue;
    std::ifstream stream(entry.path());
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
      // The parameters of a callback are not this function's.
      std::string list = std::regex_replace((*it)[2].str(), std::regex(R"(\(\*(\w+)\)\([^)]*\))"), "*$1");
      std::stringstream parts(list);
      for (std::string part; std::getline(parts, part, ',');) {
        part = std::regex_replace(part, std::regex(R"(\s+)"), " ");
        std::smatch name;
        if (std::regex_search(part, name, parameter) && name[1] != "error")
          found[(*it)[1]].insert(name[1]);
      }
    }
  }
  return found;
}

TEST_F(NullTest, TheTableIsComplete) {
  auto expected = declared();
  EXPECT_GT(expected.size(), 60u);
  for (const auto &[function, parameters] : expected)
    for (const std::string &parameter : parameters)
      EXPECT_TRUE(table.count(function) && table[function].count(parameter)) << function << ": " << parameter;
}

TEST_F(NullTest, InsideOfArguments) {
  auto messageOf = [this](triton_argument argument) {
    arguments[2] = argument;
    Failure failure;
    EXPECT_NE(triton_kernel_launch(kernel, 1, 1, 1, arguments, 3, nullptr, failure.slot()), 0);
    return failure.message();
  };
  triton_argument argument = triton_none();
  argument.kind = TRITON_ARGUMENT_STRING;
  EXPECT_EQ(messageOf(argument), "argument 2 is a string that is NULL");
  argument.kind = TRITON_ARGUMENT_TEXT;
  EXPECT_EQ(messageOf(argument), "argument 2 is a text that is NULL");
  triton_text text = {nullptr, 3};
  argument.value.text = &text;
  EXPECT_EQ(messageOf(argument), "argument 2 is a text that is NULL");
  argument = triton_none();
  argument.kind = TRITON_ARGUMENT_DESCRIPTOR;
  EXPECT_EQ(messageOf(argument), "argument 2 is a descriptor that is NULL");
  triton_descriptor descriptor = {x, TRITON_FLOAT32, 0, nullptr, nullptr, nullptr, 2, 2, 2};
  argument.value.descriptor = &descriptor;
  EXPECT_EQ(messageOf(argument), "argument 2 is a descriptor with numbers that are NULL");
  EXPECT_EQ(messageOf(triton_pointer(x, static_cast<triton_data_type>(31))), "argument 2 has the unknown type 31");
  argument.kind = -7;
  EXPECT_EQ(messageOf(argument), "argument 2 has the unknown kind -7");
}

TEST_F(NullTest, InsideOfLayouts) {
  Failure failure;
  triton_layout_size size = {nullptr, 4};
  triton_layout_input input = {"register", nullptr, 2};
  EXPECT_EQ(triton_layout_from_bases(&input, 1, nullptr, 0, failure.slot()), nullptr);
  EXPECT_EQ(triton_layout_from_bases(nullptr, 0, &size, 1, nullptr), nullptr);
  triton_layout_basis basis = {nullptr, 1};
  size.name = "dim0";
  input = {"register", &basis, 1};
  EXPECT_EQ(triton_layout_from_bases(&input, 1, &size, 1, nullptr), nullptr);
}

TEST_F(NullTest, OptionsThatNobodyFilled) {
  triton_options options = {};
  options.num_warps = 8;
  Failure failure;
  EXPECT_NE(triton_kernel_launch(kernel, 1, 1, 1, arguments, 3, &options, failure.slot()), 0);
  EXPECT_EQ(failure.message(), "the options say that their size is 0: start from TRITON_OPTIONS_INIT");
}

TEST_F(NullTest, OptionsOutOfRange) {
  for (auto [warps, ctas, stages, message] :
       {std::tuple(3, 1, 3, "num_warps must be"), {4, 0, 3, "num_ctas must be"}, {4, 1, -1, "num_stages must be"}}) {
    triton_options options = TRITON_OPTIONS_INIT;
    options.num_warps = warps;
    options.num_ctas = ctas;
    options.num_stages = stages;
    Failure failure;
    EXPECT_NE(triton_kernel_launch(kernel, 1, 1, 1, arguments, 3, &options, failure.slot()), 0);
    EXPECT_NE(failure.message().find(message), std::string::npos) << failure.message();
  }
}

} // namespace
