// A connection to a Redis server, for caches that machines share. Every call either gives an answer or an error within a few seconds, whatever the server does;
// after an error the next call connects anew.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace triton::artifact {

class Redis {
public:
  /// Whether this build has a client at all.
  static bool isAvailable();

  Redis(std::string host, int port, double timeoutSeconds = 3);
  ~Redis();

  /// One value per key, nullopt where there is none.
  llvm::Expected<std::vector<std::optional<std::string>>> get(llvm::ArrayRef<std::string> keys);
  llvm::Error put(llvm::StringRef key, llvm::StringRef value);
  /// Puts a value that goes after so many seconds, unless there is one.
  llvm::Error putFirst(llvm::StringRef key, llvm::StringRef value, unsigned seconds);

private:
  struct Connection;
  llvm::Error connect();

  const std::string host;
  const int port;
  const double timeoutSeconds;
  std::mutex mutex;
  std::unique_ptr<Connection> connection;
};

} // namespace triton::artifact
