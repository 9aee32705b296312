"""How often a question brings up the memories that belong to it, and no others: PrecisionMemBench.

    python benchmarks/precision.py DIR [CASE]

DIR has `pmb_beliefs.json` and `pmb_cases.json` (tenurehq/precisionMemBench, MIT). The beliefs are written into a vault
of their own, with owner, scope, status, aliases and importance; the installed program answers. Of a question, the
pinned memories and the open questions of its scopes are listed; beside them only memories that it names count as
relevant: those that search ranks first for an alias, with relevance 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MEMSTORE = Path(sys.executable).with_name("memstore")
OWNER = "human:test-user"
TYPES = {"decision": "decision"}
STATUS = {"superseded": "superseded"}
NAMED = 1.0

Json = dict[str, Any]


def main(folder: Path, only: str | None) -> None:
    """Ask every question, and print those that are not answered as they should be."""
    beliefs = json.loads((folder / "pmb_beliefs.json").read_text())
    cases = [case for case in json.loads((folder / "pmb_cases.json").read_text()) if only in (None, case["caseId"])]
    with TemporaryDirectory() as home:
        vault = Vault(Path(home), beliefs)
        wrong = {case["caseId"]: told for case in cases if (told := vault.wrong_with(case))}
    for name, told in wrong.items():
        print(f"{name}: {'; '.join(told)}")
    print(f"{len(cases) - len(wrong)} of {len(cases)} questions are answered right")


class Vault:
    """A vault of the beliefs, made in a folder that is empty."""

    def __init__(self, home: Path, beliefs: list[Json]) -> None:
        self._root = home / "vault"
        self._answers: dict[tuple[str, ...], Json] = {}
        self._beliefs = {belief["_id"]: belief for belief in beliefs}
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MEMSTORE", "XDG"))},
            "HOME": str(home),
        }
        self._run("init", "--owner", OWNER, str(self._root), cwd=home)
        for belief in beliefs:
            path = self._root / "memories" / f"{belief['_id']}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(_file(belief))

    def wrong_with(self, case: Json) -> list[str]:
        """Return what of an answer is not as it should be."""
        viewer = f"human:{case.get('userId', 'test-user')}"
        scopes = [word for scope in case["scope"] for word in ("--scope", _scope(scope))]
        limit = case.get("budget", {}).get("maxBeliefs", 12)
        listed = self._json("list", *scopes, "--as", viewer)["memories"]
        universal = self._json("list", "--scope", "global", "--as", viewer)["memories"]
        named: list[str] = []
        if case["query"].strip() and limit:
            words = ("search", "-n", str(limit), *scopes, "--as", viewer, "--", case["query"])
            found = self._json(*words)["results"]
            named = [_id(hit) for hit in found if hit["relevance_score"] >= NAMED]
        kinds = {_id(entry): self._kind(_id(entry)) for entry in listed}
        open_questions = {name for name, kind in kinds.items() if kind == "open question"}
        pinned = {name for name, kind in kinds.items() if kind == "pinned"}
        relevant = {name for name in named if kinds.get(name) == "other"}
        prelude = [self._beliefs[_id(entry)]["content"] for entry in universal]
        return [
            *_differences("relevantBeliefs", case, relevant),
            *_differences("pinnedFacts", case, pinned),
            *_differences("openQuestions", case, open_questions),
            *_prelude(case, prelude),
        ]

    def _kind(self, name: str) -> str:
        belief = self._beliefs[name]
        if belief["scope"] == ["user:universal"]:
            return "universal"
        if belief["type"] == "open_question":
            return "open question"
        return "pinned" if belief["pinned"] else "other"

    def _json(self, *words: str) -> Json:
        """Return what the program answers; the same question is asked once."""
        if words not in self._answers:
            self._answers[words] = json.loads(self._run("--json", *words, cwd=self._root))
        return self._answers[words]

    def _run(self, *words: str, cwd: Path) -> str:
        done = subprocess.run(
            [str(MEMSTORE), *words], cwd=cwd, env=self._environment, capture_output=True, text=True, check=True
        )
        return done.stdout


def _file(belief: Json) -> str:
    name = belief["canonical_name"].replace("_", " ")
    resolved = belief["resolved_at"] is not None
    keys = {
        "type": TYPES.get(belief["type"], "note"),
        "id": "m_" + belief["_id"].replace("-", ""),
        "title": name,
        "aliases": list(dict.fromkeys([name, *belief["aliases"]])),
        "status": "archived" if resolved else STATUS.get(belief["epistemic_status"], "active"),
        "scope": _scope(belief["scope"][0]),
        "owner": f"human:{belief['user_id']}",
        "created_at": belief["created_at"],
        "importance": "pinned" if belief["pinned"] else "normal",
    }
    lines = [f"{key}: {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join(["---", *lines, "---", "", belief["content"], ""])


def _scope(scope: str) -> str:
    kind, _, name = scope.partition(":")
    return "global" if kind == "user" else f"project:{name}"


def _id(result: Json) -> str:
    return Path(result["path"]).stem


def _differences(section: str, case: Json, found: set[str]) -> list[str]:
    wanted = case["expect"].get(section, {})
    told = [f"{section} lacks {name}" for name in wanted.get("mustInclude", []) if name not in found]
    told += [f"{section} has {name}" for name in wanted.get("mustExclude", []) if name in found]
    if "shouldOnlyInclude" in wanted:
        told += [f"{section} has {name}" for name in sorted(found - set(wanted["shouldOnlyInclude"]))]
        told += [f"{section} lacks {name}" for name in wanted["shouldOnlyInclude"] if name not in found]
    return told


def _prelude(case: Json, prelude: list[str]) -> list[str]:
    wanted, text = case["expect"].get("personaPrelude", {}), " ".join(prelude)
    told = ["the prelude is empty"] if wanted.get("nonEmpty") and not prelude else []
    told += ["there is a prelude"] if wanted.get("isNull") and prelude else []
    told += [f"the prelude lacks {word}" for word in wanted.get("contains", []) if word not in text.casefold()]
    return told + [f"the prelude has {word}" for word in wanted.get("mustNotContain", []) if word in text]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)  # noqa: PLR2004 - the program's name, DIR, CASE
