"""Hooks of sessions, and the one place that calls them."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from typing import Any, Dict, Optional

from ... import knobs
from ...compiler import LazyDict


class Hook:
    """Called around launches. Hooks of higher priority are entered first and left last."""

    priority: int = 0

    @abstractmethod
    def init_handle(self, module: Any, function: Any, name: str, metadata_group: Dict[str, str], hash: str) -> None:
        """A kernel has been loaded."""

    def destroy_handle(self, module: Any, function: Any, name: str, metadata_group: Dict[str, str], hash: str) -> None:
        """A kernel is being unloaded."""

    @abstractmethod
    def enter(self, metadata: LazyDict) -> None:
        """A launch begins."""

    @abstractmethod
    def exit(self, metadata: LazyDict) -> None:
        """A launch has been made."""

    @abstractmethod
    def activate(self) -> None:
        """The first session that has this hook becomes active."""

    @abstractmethod
    def deactivate(self) -> None:
        """The last one ends, or is deactivated."""


class HookManager:
    """Which hooks each session has, and which of them are active."""

    active_hooks: list[Hook] = []
    session_hooks: dict[int, dict[Hook, bool]] = defaultdict(dict)  # by session: its hooks, and whether they are active

    @staticmethod
    def init_handle(module: Any, function: Any, name: str, metadata_group: Dict[str, str], hash: str) -> None:
        for hook in HookManager.active_hooks:
            hook.init_handle(module, function, name, metadata_group, hash)

    @staticmethod
    def destroy_handle(module: Any, function: Any, name: str, metadata_group: Dict[str, str], hash: str) -> None:
        for hook in HookManager.active_hooks:
            hook.destroy_handle(module, function, name, metadata_group, hash)

    @staticmethod
    def enter(metadata: LazyDict) -> None:
        for hook in HookManager.active_hooks:
            hook.enter(metadata)

    @staticmethod
    def exit(metadata: LazyDict) -> None:
        for hook in reversed(HookManager.active_hooks):
            hook.exit(metadata)

    @staticmethod
    def activate(session: Optional[int] = None) -> None:
        """The hooks of a session, or of all."""
        for number in list(HookManager.session_hooks) if session is None else [session]:
            for hook, is_active in HookManager.session_hooks.get(number, {}).items():
                if not is_active:
                    HookManager._set_active(number, hook, True)

    @staticmethod
    def deactivate(session: Optional[int] = None) -> None:
        """The hooks of a session, or of all."""
        for number in list(HookManager.session_hooks) if session is None else [session]:
            for hook, is_active in HookManager.session_hooks.get(number, {}).items():
                if is_active:
                    HookManager._set_active(number, hook, False)

    @staticmethod
    def register(hook: Hook, session: int) -> None:
        """Gives a session a hook, and activates it."""
        check_chains()
        if not HookManager.session_hooks[session].get(hook):
            HookManager._set_active(session, hook, True)

    @staticmethod
    def unregister(session: Optional[int] = None) -> None:
        """Takes the hooks of a session, or of all."""
        HookManager.deactivate(session)
        if session is None:
            HookManager.session_hooks.clear()
        else:
            HookManager.session_hooks.pop(session, None)

    @staticmethod
    def _set_active(session: int, hook: Hook, is_active: bool) -> None:
        HookManager.session_hooks[session][hook] = is_active
        is_wanted = any(hooks.get(hook) for hooks in HookManager.session_hooks.values())
        if is_wanted and hook not in HookManager.active_hooks:
            hook.activate()
            HookManager.active_hooks.append(hook)
            HookManager.active_hooks.sort(key=lambda hook: -hook.priority)
        elif not is_wanted and hook in HookManager.active_hooks:
            HookManager.active_hooks.remove(hook)
            hook.deactivate()
        _follow_launches(bool(HookManager.active_hooks))


_CHAINS = (
    ("launch_enter_hook", HookManager.enter),
    ("launch_exit_hook", HookManager.exit),
    ("kernel_load_end_hook", HookManager.init_handle),
    ("kernel_unload_hook", HookManager.destroy_handle),
)


def check_chains() -> None:
    """A client may have put something else in the place of a chain of hooks."""
    for name in ("launch_enter_hook", "launch_exit_hook"):
        hook = getattr(knobs.runtime, name)
        if not isinstance(hook, knobs.HookChain):
            raise RuntimeError(f'hook="triton" needs knobs.runtime.{name} to be a knobs.HookChain, but it is {hook!r}')


def _follow_launches(is_wanted: bool) -> None:
    """Launches are looked at while a hook is active, and cost nothing otherwise."""
    for name, hook in _CHAINS:
        chain = getattr(knobs.runtime, name, None)
        if isinstance(chain, knobs.HookChain):
            (chain.add if is_wanted else chain.remove)(hook)
