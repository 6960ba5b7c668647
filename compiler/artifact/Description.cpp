#include "compiler/artifact/Description.h"
#include "compiler/artifact/Json.h"
#include "compiler/artifact/Seal.h"

#include "llvm/ADT/StringExtras.h"

using namespace triton::artifact;
using llvm::StringRef;
namespace json = llvm::json;

static json::Value toJson(const OptionValue &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag;
  if (auto *number = std::get_if<int64_t>(&value))
    return *number;
  if (auto *text = std::get_if<std::string>(&value))
    return *text;
  if (auto *names = std::get_if<std::vector<std::string>>(&value))
    return json::Array(*names);
  return nullptr;
}

static json::Value toJson(const TensorMap &map) {
  if (map.box.empty()) // passed in parts
    return nullptr;
  return json::Object{{"swizzle", map.swizzle},
                      {"elem_size", map.elementBytes},
                      {"elem_type", map.elementType},
                      {"block_size", json::Array(map.box)},
                      {"fp4_padded", false}};
}

/// "sm_90a" -> 90, "znver3 +avx2 …" -> "znver3": as Python's targets name it.
static json::Value architectureName(StringRef architecture) {
  unsigned capability = 0;
  if (StringRef digits = architecture; digits.consume_front("sm_") && !digits.rtrim("af").getAsInteger(10, capability))
    return capability;
  return architecture.split(' ').first;
}

StringRef triton::artifact::codeStage(StringRef backend) {
  return backend == "cuda" ? "cubin" : backend == "hip" ? "hsaco" : "obj";
}

std::string triton::artifact::describe(const Artifact &artifact) {
  json::Array stages, arguments, maps, reads;
  for (const StageOutput &stage : artifact.stages)
    if (!stage.content.empty())
      stages.push_back(json::Array{stage.name, stage.microseconds});
  for (const Argument &argument : artifact.arguments)
    arguments.push_back(json::Array{argument.name, argument.type, argument.offset, argument.size, argument.isStored});
  for (const TensorMap &map : artifact.tensorMaps)
    maps.push_back(toJson(map));
  for (const Read &read : artifact.reads)
    reads.push_back(json::Array{read.function, read.name, read.answer});
  json::Object object, native{{"target", artifact.backend}};
  for (const auto &[name, value] : artifact.options)
    native[name] = object[name] = toJson(value);
  for (const auto &[name, value] : artifact.settings)
    native[name] = toJson(value);
  object["hash"] = artifact.hash;
  if (!artifact.bundleKey.empty())
    object["bundle_key"] = artifact.bundleKey;
  object["name"] = artifact.name;
  object["target"] = json::Object{
      {"backend", artifact.backend}, {"arch", architectureName(artifact.device)}, {"warp_size", artifact.warpSize}};
  object["backend_name"] = artifact.backend;
  object["architecture"] = artifact.architecture;
  object["num_warps"] = artifact.numWarps; // with those of warp-specialised parts
  object["num_ctas"] = artifact.numCtas;
  object["num_stages"] = artifact.numStages;
  object["shared"] = artifact.backend == "cpu" ? int64_t(artifact.arenaBytes) : int64_t(artifact.sharedBytes);
  object["tmem_size"] = 0;
  object["global_scratch_size"] = artifact.globalScratchBytes;
  object["global_scratch_align"] = artifact.globalScratchAlignment;
  object["profile_scratch_size"] = artifact.records.sliceBytes;
  object["profile_scratch_align"] = artifact.records.sliceBytes ? 128 : 1;
  object["record_scopes"] = json::Array(artifact.records.scopes);
  object["record_warps"] = json::Array(artifact.records.warps);
  object["record_clock32"] = artifact.records.is32Bit;
  object["tensordesc_meta"] = std::move(maps);
  object["waits_at_entry"] = artifact.waitsAtEntry;
  object["writes_messages"] = artifact.writesMessages;
  object["waits_for_programs"] = artifact.waitsForPrograms;
  object["polls"] = artifact.polls;
  object["cluster_dims"] = json::Array{1, 1, 1};
  object["binary_ext"] = codeStage(artifact.backend);
  object["argument_bytes"] = artifact.argumentBytes;
  object["argument_layout"] = std::move(arguments);
  object["registers"] = artifact.registers;
  object["spill_bytes"] = artifact.spillBytes;
  object["native_options"] = std::move(native);
  object["stages"] = std::move(stages);
  object["reads"] = std::move(reads);
  object["is_portable"] = artifact.isPortable;
  object["files"] = artifact.files;
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object));
  return text;
}

std::string triton::artifact::entryName(StringRef hash) {
  std::string bytes, name;
  if (!llvm::tryGetFromHex(hash, bytes))
    return hash.str();
  constexpr StringRef alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  uint32_t bits = 0;
  unsigned count = 0;
  for (unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 5; count -= 5)
      name += alphabet[bits >> (count - 5) & 31];
  }
  if (count)
    name += alphabet[bits << (5 - count) & 31];
  return name;
}

static std::string fileOf(StringRef name, StringRef stage) { return (name + "." + stage).str(); }

/// Python's list of the files that belong together; clients read it.
static std::string groupOf(const Store &store, StringRef entry, llvm::ArrayRef<NamedFile> files,
                           StringRef description) {
  json::Object paths{{description, (store.root + "/" + entry + "/" + description).str()}};
  for (const auto &[name, content] : files)
    paths[name] = (store.root + "/" + entry + "/" + name).str();
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(json::Object{{"child_paths", std::move(paths)}});
  return text;
}

llvm::Error triton::artifact::save(const Store &store, StringRef kernel, const Artifact &artifact, StringRef secret) {
  std::vector<std::string> names;
  for (const StageOutput &stage : artifact.stages)
    names.push_back(fileOf(kernel, stage.name));
  std::vector<NamedFile> files;
  for (const auto &[name, stage] : llvm::zip(names, artifact.stages))
    if (!stage.content.empty())
      files.emplace_back(name, stage.content);
  const std::string entry = entryName(artifact.bundleKey.empty() ? artifact.hash : artifact.bundleKey),
                    description = fileOf(kernel, "json");
  // The description first: by it alone the files of a writer that is killed here are known to be the cache's.
  if (llvm::Error error = store.put(entry, description, *seal(describe(artifact), files, secret)))
    return error;
  for (const auto &[name, content] : files)
    if (llvm::Error error = store.put(entry, name, content))
      return error;
  return store.put(entry, "__grp__" + description, groupOf(store, entry, files, description));
}

/// Reads the fields of a description; false if one is missing or of another kind.
static bool readFields(const json::Object &object, Artifact &artifact) {
  auto text = [&](StringRef key, std::string &field) {
    std::optional<StringRef> value = object.getString(key);
    field = value ? value->str() : std::string();
    return value.has_value();
  };
  auto number = [&](StringRef key, auto &field) {
    std::optional<int64_t> value = object.getInteger(key);
    field = value.value_or(0);
    return value.has_value();
  };
  auto flag = [&](StringRef key, bool &field) {
    field = object.getBoolean(key).value_or(false);
    return object.getBoolean(key).has_value();
  };
  return text("name", artifact.name) && text("hash", artifact.hash) && text("backend_name", artifact.backend) &&
         text("architecture", artifact.architecture) && text("files", artifact.files) &&
         number("argument_bytes", artifact.argumentBytes) && number("num_warps", artifact.numWarps) &&
         number("num_ctas", artifact.numCtas) && number("num_stages", artifact.numStages) &&
         (artifact.backend == "cpu" ? number("shared", artifact.arenaBytes) : number("shared", artifact.sharedBytes)) &&
         number("registers", artifact.registers) && number("spill_bytes", artifact.spillBytes) &&
         number("global_scratch_size", artifact.globalScratchBytes) &&
         number("global_scratch_align", artifact.globalScratchAlignment) &&
         number("profile_scratch_size", artifact.records.sliceBytes) &&
         flag("record_clock32", artifact.records.is32Bit) && flag("waits_at_entry", artifact.waitsAtEntry) &&
         flag("writes_messages", artifact.writesMessages) && flag("waits_for_programs", artifact.waitsForPrograms) &&
         flag("polls", artifact.polls) && flag("is_portable", artifact.isPortable);
}

static bool readTensorMaps(const json::Array *maps, std::vector<TensorMap> &out) {
  for (const json::Value &value : *maps) {
    const json::Object *map = value.getAsObject();
    const json::Array *box = map ? map->getArray("block_size") : nullptr;
    out.emplace_back();
    if (!map && value.getAsNull())
      continue;
    if (!box)
      return false;
    out.back() = {int(map->getInteger("swizzle").value_or(0)),
                  int(map->getInteger("elem_size").value_or(0)),
                  int(map->getInteger("elem_type").value_or(0)),
                  {}};
    for (const json::Value &size : *box)
      out.back().box.push_back(size.getAsInteger().value_or(0));
  }
  return true;
}

static bool readRecords(const json::Array *scopes, const json::Array *warps, Records &records) {
  if (!scopes || !warps)
    return false;
  for (const json::Value &name : *scopes)
    records.scopes.push_back(name.getAsString().value_or("").str());
  for (const json::Value &warp : *warps)
    records.warps.push_back(uint32_t(warp.getAsInteger().value_or(0)));
  return true;
}

static bool readArguments(const json::Array &arguments, std::vector<Argument> &out) {
  for (const json::Value &value : arguments) {
    const json::Array *parts = value.getAsArray();
    if (!parts || parts->size() != 5 || !(*parts)[0].getAsString() || !(*parts)[1].getAsString())
      return false;
    out.push_back({(*parts)[0].getAsString()->str(), (*parts)[1].getAsString()->str(),
                   uint32_t((*parts)[2].getAsInteger().value_or(0)), uint32_t((*parts)[3].getAsInteger().value_or(0)),
                   (*parts)[4].getAsBoolean().value_or(true)});
  }
  return true;
}

static bool readReads(const json::Array &reads, std::vector<Read> &out) {
  for (const json::Value &value : reads) {
    const json::Array *parts = value.getAsArray();
    if (!parts || parts->size() != 3 || !(*parts)[1].getAsString() || !(*parts)[2].getAsString())
      return false;
    out.push_back({unsigned((*parts)[0].getAsInteger().value_or(0)), (*parts)[1].getAsString()->str(),
                   (*parts)[2].getAsString()->str()});
  }
  return true;
}

/// The stages that are there, in the order they were made; false unless the code is.
static bool readStages(const json::Array &stages, const Store &store, StringRef entry, StringRef kernel,
                       Artifact &artifact) {
  for (const json::Value &value : stages) {
    const json::Array *stage = value.getAsArray();
    std::optional<StringRef> name = stage && stage->size() == 2 ? (*stage)[0].getAsString() : std::nullopt;
    if (!name)
      return false;
    if (std::optional<std::string> content = store.get(entry, fileOf(kernel, *name)))
      artifact.stages.push_back({name->str(), std::move(*content), (*stage)[1].getAsNumber().value_or(0)});
  }
  return artifact.stage(codeStage(artifact.backend));
}

std::shared_ptr<const Artifact> triton::artifact::load(const Store &store, StringRef kernel, StringRef hash,
                                                       StringRef secret) {
  const std::string entry = entryName(hash);
  std::optional<std::string> description = store.get(entry, fileOf(kernel, "json"));
  std::optional<std::string> text = description ? unseal(*description, secret) : std::nullopt;
  std::optional<json::Value> parsed = text ? parseJson(*text) : std::nullopt;
  const json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  auto array = [&](StringRef key) { return object ? object->getArray(key) : nullptr; };
  const json::Array *stages = array("stages"), *arguments = array("argument_layout"), *reads = array("reads"),
                    *maps = array("tensordesc_meta");
  auto artifact = std::make_shared<Artifact>();
  if (!stages || !arguments || !reads || !maps || !readFields(*object, *artifact) ||
      object->getString("bundle_key").value_or(artifact->hash) != hash || !readTensorMaps(maps, artifact->tensorMaps) ||
      !readArguments(*arguments, artifact->arguments) ||
      !readRecords(object->getArray("record_scopes"), object->getArray("record_warps"), artifact->records) ||
      !readReads(*reads, artifact->reads) || !readStages(*stages, store, entry, kernel, *artifact))
    return nullptr;
  std::vector<std::string> names;
  for (const StageOutput &stage : artifact->stages)
    names.push_back(fileOf(kernel, stage.name));
  std::vector<NamedFile> files;
  for (const auto &[file, stage] : llvm::zip(names, artifact->stages))
    files.emplace_back(file, stage.content);
  if (!findDamage(*description, files, /*mayBeMissing=*/true, secret).empty())
    return nullptr;
  store.touch(entry);
  return artifact;
}
