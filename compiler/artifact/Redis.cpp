#include "compiler/artifact/Redis.h"

#ifdef TRITON_HAS_HIREDIS
#include <hiredis/hiredis.h>
#endif

#include <cmath>

using namespace triton::artifact;
using llvm::StringRef;

#ifdef TRITON_HAS_HIREDIS

struct Redis::Connection {
  explicit Connection(redisContext *context) : context(context) {}
  ~Connection() {
    if (context)
      redisFree(context);
  }
  redisContext *context;
};

namespace {
struct ReplyDeleter {
  void operator()(redisReply *reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, ReplyDeleter>;
} // namespace

bool Redis::isAvailable() { return true; }

llvm::Error Redis::connect() {
  if (connection)
    return llvm::Error::success();
  struct timeval timeout;
  timeout.tv_sec = static_cast<time_t>(timeoutSeconds);
  timeout.tv_usec = static_cast<suseconds_t>(std::fmod(timeoutSeconds, 1.0) * 1e6);
  auto opened = std::make_unique<Connection>(redisConnectWithTimeout(host.c_str(), port, timeout));
  if (!opened->context || opened->context->err)
    return llvm::createStringError("cannot connect to Redis at %s:%d: %s", host.c_str(), port,
                                   opened->context ? opened->context->errstr : "out of memory");
  redisSetTimeout(opened->context, timeout);
  connection = std::move(opened);
  return llvm::Error::success();
}

/// Sends a command; drops the connection if it broke, since what comes next on it would answer this one.
template <typename Pointer>
static llvm::Expected<Reply> ask(Pointer &connection, llvm::ArrayRef<StringRef> words, StringRef server) {
  std::vector<const char *> texts;
  std::vector<size_t> sizes;
  for (StringRef word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  Reply reply(static_cast<redisReply *>(
      redisCommandArgv(connection->context, static_cast<int>(words.size()), texts.data(), sizes.data())));
  if (!reply) {
    std::string why = connection->context->errstr;
    connection.reset();
    return llvm::createStringError("Redis at " + server + " does not answer: " + why);
  }
  if (reply->type == REDIS_REPLY_ERROR)
    return llvm::createStringError("Redis at " + server + " says: " + StringRef(reply->str, reply->len));
  return reply;
}

llvm::Expected<std::vector<std::optional<std::string>>> Redis::get(llvm::ArrayRef<std::string> keys) {
  std::lock_guard lock(mutex);
  std::vector<std::optional<std::string>> values(keys.size());
  if (keys.empty())
    return values;
  if (llvm::Error error = connect())
    return std::move(error);
  std::vector<StringRef> words{"MGET"};
  words.insert(words.end(), keys.begin(), keys.end());
  llvm::Expected<Reply> reply = ask(connection, words, host);
  if (!reply)
    return reply.takeError();
  if ((*reply)->type != REDIS_REPLY_ARRAY || (*reply)->elements != keys.size())
    return llvm::createStringError("Redis at " + host + " answers what was not asked");
  for (size_t i = 0; i < keys.size(); ++i)
    if (const redisReply *element = (*reply)->element[i]; element->type == REDIS_REPLY_STRING)
      values[i] = std::string(element->str, element->len);
  return values;
}

llvm::Error Redis::put(StringRef key, StringRef value) {
  std::lock_guard lock(mutex);
  if (llvm::Error error = connect())
    return error;
  return ask(connection, {"SET", key, value}, host).takeError();
}

llvm::Error Redis::putFirst(StringRef key, StringRef value, unsigned seconds) {
  std::lock_guard lock(mutex);
  if (llvm::Error error = connect())
    return error;
  return ask(connection, {"SET", key, value, "NX", "EX", std::to_string(seconds)}, host).takeError();
}

#else

struct Redis::Connection {};
bool Redis::isAvailable() { return false; }
llvm::Error Redis::connect() { return llvm::createStringError("this build of Triton has no Redis client"); }
llvm::Expected<std::vector<std::optional<std::string>>> Redis::get(llvm::ArrayRef<std::string>) { return connect(); }
llvm::Error Redis::put(StringRef, StringRef) { return connect(); }
llvm::Error Redis::putFirst(StringRef, StringRef, unsigned) { return connect(); }

#endif

Redis::Redis(std::string host, int port, double timeoutSeconds)
    : host(std::move(host)), port(port), timeoutSeconds(timeoutSeconds) {}
Redis::~Redis() = default;
