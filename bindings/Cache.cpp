// Everything that touches a disk or a network runs without the interpreter lock.
#include "bindings/Submodules.h"

#include "bindings/InterpreterLock.h"

#include <triton/cache.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

using cache::Redis;
using cache::Store;

/// str or bytes as bytes.
static std::string_view contentOf(nb::handle object) {
  if (PyBytes_Check(object.ptr()))
    return {PyBytes_AS_STRING(object.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(object.ptr()))};
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (!text)
    throw nb::python_error();
  return {text, static_cast<size_t>(size)};
}

[[noreturn]] static void raise(PyObject *type, const std::string &message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

static void put(const Store &store, const std::string &entry, const std::string &file, nb::object content) {
  std::string_view view = contentOf(content);
  std::optional<std::string> error = unlocked([&] { return store.put(entry, file, view); });
  if (error)
    raise(PyExc_OSError, *error);
}

static nb::object toBytes(const std::optional<std::string> &content) {
  return content ? nb::object(nb::bytes(content->data(), content->size())) : nb::none();
}

static nb::object get(const Store &store, const std::string &entry, const std::string &file) {
  std::optional<std::string> content = unlocked([&] { return store.get(entry, file); });
  return toBytes(content);
}

static void remove(const Store &store, const std::string &entry) {
  if (std::optional<std::string> error = store.remove(entry))
    raise(PyExc_OSError, *error);
}

static std::vector<cache::NamedFile> filesOf(const nb::dict &files) {
  std::vector<cache::NamedFile> out;
  for (auto [name, content] : files)
    out.emplace_back(contentOf(name), contentOf(content));
  return out;
}

static std::string seal(nb::object description, const nb::dict &files, nb::bytes secret) {
  std::optional<std::string> sealed = cache::seal(contentOf(description), filesOf(files), contentOf(secret));
  if (!sealed)
    raise(PyExc_ValueError, "only the text of a JSON object can be sealed");
  return *sealed;
}

static std::string findDamage(nb::object description, const nb::dict &files, bool mayBeMissing, nb::bytes secret) {
  return cache::findDamage(contentOf(description), filesOf(files), mayBeMissing, contentOf(secret));
}

static nb::bytes readSecret(const std::string &path) {
  std::variant<cache::Secret, std::string> secret = cache::readSecret(path);
  if (auto *error = std::get_if<std::string>(&secret))
    raise(PyExc_RuntimeError, *error);
  const std::string &text = std::get<cache::Secret>(secret).text;
  return nb::bytes(text.data(), text.size());
}

static nb::object readPlainFile(const std::string &path) {
  std::optional<std::string> content = unlocked([&] { return cache::readPlainFile(path); });
  return toBytes(content);
}

static nb::list redisGet(const Redis &redis, const std::vector<std::string> &keys) {
  std::variant<Redis::Values, std::string> values = unlocked([&] { return redis.get(keys); });
  if (auto *error = std::get_if<std::string>(&values))
    raise(PyExc_ConnectionError, *error);
  nb::list out;
  for (const auto &value : std::get<Redis::Values>(values))
    out.append(toBytes(value));
  return out;
}

/// Puts a value; with `seconds` only where there is none, and for so long.
static void redisPut(const Redis &redis, const std::string &key, nb::bytes value, std::optional<unsigned> seconds) {
  const std::string_view bytes(value.c_str(), value.size());
  std::optional<std::string> error =
      unlocked([&] { return seconds ? redis.putFirst(key, bytes, *seconds) : redis.put(key, bytes); });
  if (error)
    raise(PyExc_ConnectionError, *error);
}

void addCache(nb::module_ &parent) {
  nb::module_ module = parent.def_submodule("cache", "The cache of compiled kernels.");
  nb::class_<cache::Entry>(module, "Entry")
      .def_ro("name", &cache::Entry::name)
      .def_ro("files", &cache::Entry::files)
      .def_ro("bytes", &cache::Entry::bytes)
      .def_ro("last_used", &cache::Entry::lastUsed, "nanoseconds since 1970")
      .def_ro("is_sealed", &cache::Entry::isSealed, "Whether a sound seal says that this is an entry.");
  nb::class_<cache::PruneSummary>(module, "PruneSummary")
      .def_ro("bytes_before", &cache::PruneSummary::bytesBefore)
      .def_ro("bytes_after", &cache::PruneSummary::bytesAfter)
      .def_ro("removed", &cache::PruneSummary::removed);
  nb::class_<Store>(module, "Store", "A cache directory that many processes may use at once.")
      .def(nb::init<std::string>(), nb::arg("root"))
      .def_prop_ro("root", &Store::root)
      .def("put", &put, nb::arg("entry"), nb::arg("file"), nb::arg("content"), "Writes a file, whole or not at all.")
      .def("get", &get, nb::arg("entry"), nb::arg("file"), "The bytes of a plain file, or None.")
      .def(
          "has",
          [](const Store &store, const std::string &entry, const std::string &file) { return store.has(entry, file); },
          nb::arg("entry"), nb::arg("file"), "Whether `get` gives something.")
      .def(
          "touch", [](const Store &store, const std::string &entry) { store.touch(entry); }, nb::arg("entry"),
          "Marks an entry as used now.")
      .def("remove", &remove, nb::arg("entry"), "Removes the files that the seal of an entry names.")
      .def(
          "find", [](const Store &store, const std::string &entry) { return store.find(entry); }, nb::arg("entry"),
          nb::call_guard<Unlocked>(), "The entry of that name, or None.")
      .def("list", &Store::list, nb::call_guard<Unlocked>())
      .def("prune", &Store::prune, nb::arg("limit"), nb::call_guard<Unlocked>(),
           "Removes sealed entries that have not been used for longest until at most `limit` bytes of them are left.");
  module.def(
      "build_ids",
      [] { return nb::make_tuple(cache::buildId(), cache::buildIdOf(reinterpret_cast<void *>(&addCache))); },
      "Ids of the builds of the compiler and of this extension, made from their content; empty where a linker gave "
      "none.");
  module.def("digest_files", &cache::digestFiles, nb::arg("folder"), nb::arg("suffix"), nb::call_guard<Unlocked>(),
             "A digest of all files below `folder` whose names end in `suffix`, or of one file.");
  module.def("tools_of", &cache::toolsOf, nb::arg("target"), nb::arg("architecture"), nb::arg("linker") = "",
             nb::call_guard<Unlocked>(),
             "The builds of programs, and digests of files, that code for a target is made with besides the compiler; "
             "None if nothing can make it.");
  module.def(
      "parse_size", [](const std::string &text) { return cache::parseSize(text); }, nb::arg("text"),
      "Bytes of a size such as '500M'; None if it is no size.");
  module.def("seal", &seal, nb::arg("description"), nb::arg("files"), nb::arg("secret") = nb::bytes("", 0),
             "A JSON object's text closed with the digests of `files` (name -> content) and its own, and signed unless "
             "`secret` is empty.");
  module.def("find_damage", &findDamage, nb::arg("description"), nb::arg("files"), nb::arg("may_be_missing") = false,
             nb::arg("secret") = nb::bytes("", 0),
             "Why an entry is not what was stored, or by whom it was not; empty if it is sound.");
  module.def("read_secret", &readSecret, nb::arg("path"), "The secret in a file that is kept from others.");
  module.def("read_plain_file", &readPlainFile, nb::arg("path"),
             "The bytes of a plain file that is no link; None if it is anything else.");
  module.def(
      "is_file_name", [](const std::string &name) { return cache::isFileName(name); }, nb::arg("name"),
      "Whether it is a name of a file and no path.");
  module.def("variant", &cache::variantOf, nb::arg("hash"), nb::arg("number"),
             "The hash that the kernel of a key and this number is stored under; None where there are no more.");
  nb::class_<Redis>(module, "Redis", "A connection to a Redis server; every call answers or fails within seconds.")
      .def(nb::init<std::string, int, double>(), nb::arg("host"), nb::arg("port"), nb::arg("timeout") = 3.0)
      .def_static("is_available", &Redis::isAvailable)
      .def("get", &redisGet, nb::arg("keys"), "One value per key, None where there is none.")
      .def(
          "put",
          [](const Redis &redis, const std::string &key, nb::bytes value) {
            redisPut(redis, key, value, std::nullopt);
          },
          nb::arg("key"), nb::arg("value"))
      .def("put_first", &redisPut, nb::arg("key"), nb::arg("value"), nb::arg("seconds"),
           "Puts a value that goes after so many seconds, unless there is one.");
}

} // namespace triton::python
