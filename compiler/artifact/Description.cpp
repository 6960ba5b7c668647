#include "compiler/artifact/Description.h"
#include "compiler/artifact/Json.h"
#include "compiler/artifact/Seal.h"

#include "llvm/ADT/StringExtras.h"

using namespace triton::artifact;
using llvm::StringRef;
namespace json = llvm::json;

std::string triton::artifact::describe(const Artifact &artifact) {
  json::Array stages, arguments, maps;
  for (const StageOutput &stage : artifact.stages)
    if (!stage.content.empty())
      stages.push_back(json::Object{{"name", stage.name}, {"microseconds", stage.microseconds}});
  for (const Argument &argument : artifact.arguments)
    arguments.push_back(json::Object{{"name", argument.name},
                                     {"type", argument.type},
                                     {"offset", argument.offset},
                                     {"size", argument.size},
                                     {"stored", argument.isStored}});
  for (const TensorMap &map : artifact.tensorMaps)
    maps.push_back(json::Object{{"swizzle", map.swizzle},
                                {"element_bytes", map.elementBytes},
                                {"element_type", map.elementType},
                                {"box", json::Array(map.box)}});
  json::Object object{{"name", artifact.name},
                      {"hash", artifact.hash},
                      {"backend", artifact.backend},
                      {"architecture", artifact.architecture},
                      {"stages", std::move(stages)},
                      {"arguments", std::move(arguments)},
                      {"tensor_maps", std::move(maps)},
                      {"argument_bytes", artifact.argumentBytes},
                      {"arena_bytes", static_cast<int64_t>(artifact.arenaBytes)},
                      {"num_warps", artifact.numWarps},
                      {"num_ctas", artifact.numCtas},
                      {"num_stages", artifact.numStages},
                      {"shared_bytes", artifact.sharedBytes},
                      {"global_scratch_bytes", artifact.globalScratchBytes},
                      {"global_scratch_alignment", artifact.globalScratchAlignment},
                      {"registers", artifact.registers},
                      {"spill_bytes", artifact.spillBytes},
                      {"waits_at_entry", int(artifact.waitsAtEntry)}};
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

llvm::Error triton::artifact::save(const Store &store, const Artifact &artifact, StringRef secret) {
  std::vector<std::string> names;
  for (const StageOutput &stage : artifact.stages)
    names.push_back(fileOf(artifact.name, stage.name));
  std::vector<NamedFile> files;
  for (const auto &[name, stage] : llvm::zip(names, artifact.stages))
    if (!stage.content.empty())
      files.emplace_back(name, stage.content);
  const std::string entry = entryName(artifact.hash);
  // The description first: by it alone the files of a writer that is killed here are known to be the cache's.
  if (llvm::Error error = store.put(entry, fileOf(artifact.name, "json"), *seal(describe(artifact), files, secret)))
    return error;
  for (const auto &[name, content] : files)
    if (llvm::Error error = store.put(entry, name, content))
      return error;
  return llvm::Error::success();
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
  return text("name", artifact.name) && text("hash", artifact.hash) && text("backend", artifact.backend) &&
         text("architecture", artifact.architecture) && number("argument_bytes", artifact.argumentBytes) &&
         number("arena_bytes", artifact.arenaBytes) && number("num_warps", artifact.numWarps) &&
         number("num_ctas", artifact.numCtas) && number("num_stages", artifact.numStages) &&
         number("shared_bytes", artifact.sharedBytes) && number("registers", artifact.registers) &&
         number("spill_bytes", artifact.spillBytes) && number("global_scratch_bytes", artifact.globalScratchBytes) &&
         number("global_scratch_alignment", artifact.globalScratchAlignment) &&
         number("waits_at_entry", artifact.waitsAtEntry);
}

static bool readTensorMaps(const json::Array *maps, std::vector<TensorMap> &out) {
  if (!maps)
    return false;
  for (const json::Value &value : *maps) {
    const json::Object *map = value.getAsObject();
    const json::Array *box = map ? map->getArray("box") : nullptr;
    if (!box)
      return false;
    out.push_back({int(map->getInteger("swizzle").value_or(0)),
                   int(map->getInteger("element_bytes").value_or(0)),
                   int(map->getInteger("element_type").value_or(0)),
                   {}});
    for (const json::Value &size : *box)
      out.back().box.push_back(size.getAsInteger().value_or(0));
  }
  return true;
}

std::shared_ptr<const Artifact> triton::artifact::load(const Store &store, StringRef name, StringRef hash,
                                                       StringRef secret) {
  const std::string entry = entryName(hash);
  std::optional<std::string> description = store.get(entry, fileOf(name, "json"));
  std::optional<std::string> text = description ? unseal(*description, secret) : std::nullopt;
  std::optional<json::Value> parsed = text ? parseJson(*text) : std::nullopt;
  const json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  const json::Array *stages = object ? object->getArray("stages") : nullptr;
  const json::Array *arguments = object ? object->getArray("arguments") : nullptr;
  auto artifact = std::make_shared<Artifact>();
  if (!stages || !arguments || !readFields(*object, *artifact) || artifact->hash != hash ||
      !readTensorMaps(object->getArray("tensor_maps"), artifact->tensorMaps))
    return nullptr;
  std::vector<std::string> names;
  for (const json::Value &value : *stages) {
    const json::Object *stage = value.getAsObject();
    std::optional<StringRef> stageName = stage ? stage->getString("name") : std::nullopt;
    std::optional<std::string> content = stageName ? store.get(entry, fileOf(name, *stageName)) : std::nullopt;
    if (!content)
      return nullptr;
    names.push_back(fileOf(name, *stageName));
    artifact->stages.push_back({stageName->str(), std::move(*content), stage->getNumber("microseconds").value_or(0)});
  }
  for (const json::Value &value : *arguments) {
    const json::Object *argument = value.getAsObject();
    if (!argument || !argument->getString("name") || !argument->getString("type"))
      return nullptr;
    artifact->arguments.push_back({argument->getString("name")->str(), argument->getString("type")->str(),
                                   static_cast<uint32_t>(argument->getInteger("offset").value_or(0)),
                                   static_cast<uint32_t>(argument->getInteger("size").value_or(0)),
                                   argument->getBoolean("stored").value_or(true)});
  }
  std::vector<NamedFile> files;
  for (const auto &[file, stage] : llvm::zip(names, artifact->stages))
    files.emplace_back(file, stage.content);
  if (!findDamage(*description, files, /*mayBeMissing=*/false, secret).empty())
    return nullptr;
  store.touch(entry);
  return artifact;
}
