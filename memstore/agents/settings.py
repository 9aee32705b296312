"""Put memstore's entries into the text of a settings file, and take them out again; everything else stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.agents import json_text
from memstore.agents.hosts import NAME, PinnedCommand, is_our_hook, pinned_in
from memstore.core.errors import FormatError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.agents.json_text import JsonNode


class Wanted(NamedTuple):
    """What a settings file is to hold: a server's entry in the list at `servers_at`, hooks by event, or both.

    `new` is what a file that does not exist yet begins with; `newer_at` leads to the list in files of a newer form.
    A text editor's file holds `members` of its one object, the first of which is the program, or ends with `text`; one
    that is neither JSON nor TOML is `text`.
    """

    servers_at: tuple[str, ...] = ()
    server: Mapping[str, Any] | None = None
    hooks: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    new: Mapping[str, Any] = {}
    newer_at: tuple[str, ...] = ()
    members: Mapping[str, Any] = {}
    text: str = ""


class Edited(NamedTuple):
    """A new text of a settings file, and the texts that were put in or taken out."""

    text: str
    pieces: tuple[str, ...] = ()


def new_text(name: str, wanted: Wanted) -> str:
    """Return the text of a settings file that does not exist yet, without memstore's entries."""
    return json.dumps(dict(wanted.new), indent=2) + "\n" if name.endswith((".json", ".jsonc")) else ""


def in_its_form(text: str, name: str, wanted: Wanted) -> Wanted:
    """Return what is wanted of a file, where a file of its form has it: it may be an older or a newer one.

    Raises:
        FormatError: the file can't be read.
    """
    if not wanted.newer_at or not text.strip():
        return wanted
    servers = json_text.read(text, name).at(*wanted.newer_at)
    # In the older form, one server may have the name that leads to all servers in the newer one.
    known = servers.value if servers else None
    is_newer = isinstance(known, dict) and all(isinstance(one, dict) for one in known.values())
    return wanted._replace(servers_at=wanted.newer_at) if is_newer else wanted


def with_ours(text: str, name: str, wanted: Wanted) -> Edited:
    """Return a text with memstore's entries put in; there must be none in it.

    Args:
        text: the content of the file.
        name: the file, for errors; its suffix says how it is written.
        wanted: the entries.

    Raises:
        FormatError: the file can't be read.
        RefusedError: there is somebody else's entry of that name, or no place for ours.
    """
    if name.endswith(".toml"):
        return _in_toml(text, name, wanted)
    if not wanted.text:
        return _in_json(text, name, wanted)
    if text.strip():
        raise RefusedError(
            f"{name} is somebody else's, or was changed since it was installed; nothing was written",
            hint="move it away, then try again",
        )
    return Edited(wanted.text, (wanted.text,))


def without_ours(text: str, name: str, wanted: Wanted, put_in: Sequence[str]) -> Edited:
    """Return a text without memstore's entries.

    What was put in is taken out again to the letter, if it is still there as it was; else the entries are looked for.

    Args:
        text: the content of the file.
        name: the file, as for `with_ours`.
        wanted: where entries may be.
        put_in: the pieces that were put in.

    Raises:
        FormatError: the file can't be read.
    """
    left, out = text, []
    for piece, count in sorted(Counter(put_in).items(), key=lambda one: len(one[0]), reverse=True):
        if left.count(piece) == count:
            left = left.replace(piece, "")
            out += [piece] * count
    if not left.strip():
        return Edited(left, tuple(out))
    if wanted.text and not name.endswith(".toml"):
        return Edited(left, tuple(out))
    if out and not _stands_alone(text, left, name, wanted, out):
        left, out = text, []
    found = _out_of_toml(left, name) if name.endswith(".toml") else _out_of_json(left, name, wanted)
    return Edited(found.text, (*out, *found.pieces))


def _stands_alone(text: str, left: str, name: str, wanted: Wanted, pieces: Sequence[str]) -> bool:
    """Whether what is left after pieces were cut out of a text still says the same as before, and no part of ours.

    It doesn't if somebody wrote a member before ours, whose comma now separates nothing, or a line into our table,
    which now belongs to the table above.
    """
    if not name.endswith(".toml"):
        try:
            return wanted.members.keys().isdisjoint(json_text.read(left, name).members)
        except FormatError:
            return False
    return _toml(text, name) == _joined(_toml(left, name), _toml("".join(pieces), name))


def holds(text: str, name: str, wanted: Wanted) -> bool:
    """Return whether a settings file holds memstore's entries exactly as they are wanted.

    Raises:
        FormatError: the file can't be read.
    """
    if wanted.text:
        return wanted.text in text.replace("\r\n", "\n")
    if name.endswith(".toml"):
        servers = _toml(text, name).get(wanted.servers_at[0])
        return isinstance(servers, dict) and servers.get(NAME) == wanted.server
    root = json_text.read(text, name)
    servers = root.at(*wanted.servers_at)
    there = servers.at(NAME) if servers else None
    if any((known := root.at(key)) is None or known.value != value for key, value in wanted.members.items()):
        return False
    if wanted.server is not None and (there is None or there.value != wanted.server):
        return False
    if wanted.hooks is None:
        return True
    ours = {event: [one.value for one in items] for event, items in _our_hooks(root) if items}
    return ours == {event: list(hooks) for event, hooks in wanted.hooks.items()}


# -- JSON ------------------------------------------------------------------------------------------


def pinned(text: str, name: str, wanted: Wanted) -> PinnedCommand | None:
    """Return what memstore's server in a settings file pins; None if there is no such server.

    Raises:
        FormatError: the file can't be read.
    """
    if name.endswith(".toml"):
        servers = _toml(text, name).get(wanted.servers_at[0])
        return pinned_in(servers.get(NAME)) if isinstance(servers, dict) else None
    there = json_text.read(text, name).at(*wanted.servers_at, NAME)
    return pinned_in(there.value) if there else None


def _in_json(text: str, name: str, wanted: Wanted) -> Edited:
    pieces: list[str] = []
    if wanted.server is not None:
        text = _added(text, name, (*wanted.servers_at, NAME), wanted.server, pieces)
    for key, value in reversed([*wanted.members.items()]):
        text = _added(text, name, (key,), value, pieces)
    if wanted.hooks is not None:
        if json_text.read(text, name).at("hooks") is None:
            return Edited(_added(text, name, ("hooks",), wanted.hooks, pieces), tuple(pieces))
        for event, hooks in reversed([*wanted.hooks.items()]):
            known = json_text.read(text, name).at("hooks", event)
            if known is None:
                text = _added(text, name, ("hooks", event), hooks, pieces)
                continue
            _stop_unless(known, list, name, f"hooks.{event}")
            for hook in reversed(hooks):
                text, done = json_text.with_item(text, _there(text, name, "hooks", event), hook)
                pieces.append(done.text)
    return Edited(text, tuple(sorted(pieces, key=text.find)))


def _added(text: str, name: str, path: tuple[str, ...], value: Any, pieces: list[str]) -> str:
    """Return the text with a value at a path, with the objects that lead there."""
    root, depth = json_text.read(text, name), 0
    while depth < len(path) - 1 and root.at(*path[: depth + 1]) is not None:
        depth += 1
    place = root.at(*path[:depth]) or root
    _stop_unless(place, dict, name, ".".join(path[:depth]))
    if path[depth] in place.members:
        what = f"server named {NAME}" if path[-1] == NAME else path[depth]
        raise RefusedError(
            f"{name} has another {what}; nothing was written", hint=f"take {'.'.join(path)} out of it, then try again"
        )
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    text, done = json_text.with_member(text, place, path[depth], value)
    pieces.append(done.text)
    return text


def _there(text: str, name: str, *path: str) -> JsonNode:
    found = json_text.read(text, name).at(*path)
    assert found is not None  # noqa: S101 - it was there before something was put into it
    return found


def _stop_unless(node: JsonNode, kind: type, name: str, path: str) -> None:
    if not isinstance(node.value, kind):
        what = "an object" if kind is dict else "a list"
        raise RefusedError(
            f"{name}: {path} is not {what}, so nothing can be added; nothing was written",
            hint="correct the file, then try again",
        )


def _our_hooks(root: JsonNode) -> Iterator[tuple[str, list[JsonNode]]]:
    """Yield the events, with those of their hooks that were installed."""
    hooks = root.at("hooks")
    for event, (_, known) in (hooks.members if hooks else {}).items():
        yield event, [item for item in known.items if is_our_hook(item.value)]


def _out_of_json(text: str, name: str, wanted: Wanted) -> Edited:
    pieces: list[str] = []

    def cut(node: JsonNode, after: str) -> str:
        pieces.append(text[node.start : node.end])
        return after

    root = json_text.read(text, name)
    servers = root.at(*wanted.servers_at) if wanted.server is not None else None
    if servers is not None and NAME in servers.members and pinned_in(servers.value[NAME]):
        text = cut(servers.members[NAME][1], json_text.without_member(text, servers, NAME))
        text = _pruned(text, name, wanted.servers_at)
    program = next((known.value for key in wanted.members if (known := root.at(key))), None)
    for key in wanted.members if isinstance(program, str) and program.endswith(f"/{NAME}") else ():
        root = json_text.read(text, name)
        if key in root.members:
            text = cut(root.members[key][1], json_text.without_member(text, root, key))
    if wanted.hooks is None:
        return Edited(text, tuple(pieces))
    while found := next(((event, ours) for event, ours in _our_hooks(json_text.read(text, name)) if ours), None):
        event, (first, *_) = found
        text = _pruned(cut(first, json_text.without_item(text, first)), name, ("hooks", event))
    return Edited(text, tuple(pieces))


def _pruned(text: str, name: str, path: tuple[str, ...]) -> str:
    """Return the text without what became empty, from the end of the path on."""
    while path:
        root = json_text.read(text, name)
        node, parent = root.at(*path), root.at(*path[:-1])
        if node is None or parent is None or node.value:
            break
        text = json_text.without_member(text, parent, path[-1])
        path = path[:-1]
    return text


# -- TOML ------------------------------------------------------------------------------------------


_BYTE_ORDER_MARK = "\ufeff"  # some editors begin a file with it; it stays


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix(_BYTE_ORDER_MARK))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(
            f"{name}: this is not TOML: {error}; nothing was written",
            hint="correct the file, then try again",
        ) from error


def _in_toml(text: str, name: str, wanted: Wanted) -> Edited:
    end = "\r\n" if "\r\n" in text else "\n"
    said = wanted.text or _table(wanted)
    blank = "" if not text else end if text.endswith("\n") else end * 2
    piece = blank + said.replace("\n", end)
    before, more = _toml(text, name), tomllib.loads(said)
    try:
        fits = not _clashes(before, more)
        fits = fits and tomllib.loads(text.removeprefix(_BYTE_ORDER_MARK) + piece) == _joined(before, more)
    except tomllib.TOMLDecodeError:
        fits = False
    if not fits:
        tables = [line.strip("[]") for line in said.splitlines() if line.startswith("[")]
        raise RefusedError(
            f"{name} has another {' or '.join(tables)}, or no place for one; nothing was written",
            hint=f"write this there yourself:\n{said}"
            if wanted.text
            else f"take it out, or write {wanted.servers_at[0]} as tables, then try again",
        )
    return Edited(text + piece, (piece,))


def _table(wanted: Wanted) -> str:
    lines = [f"[{'.'.join((*wanted.servers_at, NAME))}]"]
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in (wanted.server or {}).items()]
    return "".join(f"{line}\n" for line in lines)


def _joined(values: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file says that has the tables of both."""
    done = dict(values)
    for key, value in more.items():
        known = done.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            done[key] = _joined(known, value)
        else:
            done[key] = [*known, *value] if isinstance(known, list) and isinstance(value, list) else value
    return done


def _clashes(values: Mapping[str, Any], more: Mapping[str, Any]) -> bool:
    """Whether a file has another table of the same name, or an entry of the same name in a list of tables."""
    for key, value in more.items():
        known = values.get(key)
        if isinstance(known, dict) and isinstance(value, dict) and key != NAME:
            if _clashes(known, value):
                return True
        elif isinstance(known, list) and isinstance(value, list):
            names = [one.get("name") for one in value]
            if any(not isinstance(one, dict) or one.get("name") in names for one in known):
                return True
        elif known is not None:
            return True
    return False


# The table up to the next one.
_TOML_TABLE = re.compile(
    rf'^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?{NAME}"?[ \t]*\][^\n]*\n(?:(?![ \t]*\[).*(?:\n|\Z))*', re.MULTILINE
)


def _out_of_toml(text: str, name: str) -> Edited:
    servers = _toml(text, name).get("mcp_servers")
    found = _TOML_TABLE.search(text)
    if found is None or not isinstance(servers, dict) or not pinned_in(servers.get(NAME)):
        return Edited(text)
    return Edited(text[: found.start()] + text[found.end() :], (found.group(),))
