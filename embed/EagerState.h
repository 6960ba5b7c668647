// What an embed::EagerSession holds.
#pragma once

#include "compiler/driver/EagerSession.h"
#include "embed/Adapter.h"

namespace triton::embed {

struct EagerSession::State {
  State(Host &host, const frontend::LanguageOptions &options) : session(host.adapter(), options) {}
  driver::EagerSession session;
};

} // namespace triton::embed
