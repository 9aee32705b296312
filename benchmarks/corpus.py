#!/usr/bin/env python3
"""Deterministic corpus of Markdown memories for memstore benchmarks.

    corpus.py OUT --n 10000 [--seed 1] [--words FILE] [--body-words 120]
    corpus.py --stats --n 10000

Writes N memory files under OUT as memories/YYYY/MM/<id>.md, in the format of docs/format.md.  Standard library only.

Guarantees
----------
* Memory ``i`` depends only on ``(seed, i, words, body_words)``, never on N: the
  1,000-memory corpus is byte for byte a prefix of the 100,000-memory one, so a
  benchmark can grow a vault in place, and the same query returns comparable
  hits at each size.
* Two runs with the same arguments write the same bytes.  ``digest()`` returns a
  SHA-256 over (path, bytes) of the first N memories to pin that in a test.

What makes it realistic
-----------------------
* Words follow a two-regime Zipf law (exponent 1 to rank 1,000, then 2) over
  English function words (they take the first ranks) and a seeded shuffle of a
  real word list (``words.txt`` beside this file, 40,000 words of SCOWL; any file of one
  word a line will do; if absent, the words of Python's own documentation).  A
  plain Zipf law over a dictionary gives 2.5 times too many distinct words, and
  so an index twice too large; this one was fitted to the documentation of five
  public projects (1.3 million words): see ``--stats``.
* One of 64 topics a memory: each has its own 80-word sub-vocabulary, of which a
  memory takes about a dozen and repeats them (30 % of its words), so memories
  cluster the way real notes do and multi-term queries are selective, not empty.
* Fixed collocations (two- and three-word phrases) are planted, so that phrase
  queries have hits, of known rough frequency, among many near misses.
* A body is about 120 words: a heading, paragraphs wrapped at 88 columns, a
  bullet list, sometimes a quotation or a fenced code block, about one
  ``[[wiki-link]]`` to an earlier memory.
* Frontmatter is about 25-35 lines: identity, provenance, lineage
  (``derived_from`` and ``supersedes`` only point back in order and in date, so
  the graph is a DAG; a few old memories are cited by thousands), subjects and
  grants (namespaced ids; about 20 % private, 10 % public ``*``), consent,
  confidence and its history, witnesses, anchors, tags.

Use as a library: ``Corpus(seed=1)`` gives ``.path(i)``, ``.memory(i)`` (the
record), ``.text(i)`` (the file), ``.queries()`` (benchmark queries by class).
"""
from __future__ import annotations

import argparse
import bisect
import datetime as dt
import hashlib
import itertools
import os
import random
import re
import sys
import textwrap
import time

WORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")

# The most frequent English words; they take the first ranks of the Zipf law.
FUNCTION_WORDS = (
    "the of and to a in is that for it as was with be by on not he this are or his from at which but "
    "have an had they you were their one all we can her has there been if more when will would who so "
    "no she other its may these what them than some him time into only do my new about out also two any "
    "up first could our then most see me should after made over did many before must through where how"
).split()

TYPES = ("insight", "encounter", "decision", "correction", "observation", "belief", "episode", "note")
SOURCES = ("direct_experience", "inference", "told_by_agent", "consolidation", "told_by_human")
PLATFORMS = ("moltbook", "clawdbot", "kernle", "cli")
CONTEXTS = [f"ctx:{x}" for x in (
    "aisd_academic bella_health dog_park_social engineering finance garden onboarding research "
    "reviews support travel writing").split()]
AGENTS = [f"si:{x}" for x in (
    "ash claire babel pith bella_agent tutor_a tutor_b park_agent scribe archivist critic planner").split()]
HUMANS = [f"human:{x}" for x in (
    "sean maya omar lin ines kofi ravi noor elsa tomas yuki adele piotr zane ruth bo").split()]
GROUPS = [f"group:{x}" for x in (
    "emergent_instruments bella_care_team reviewers board lab family neighbours ops").split()]
REASONS = ("initial assessment", "reinforced by a later episode", "contradicted in review", "verified by witness",
           "decayed without reinforcement", "source retracted", "restated with new evidence")
CODE = ('def recall(query, limit=5):\n    hits = index.search(query)\n    return hits[:limit]',
        'git log --follow -- memory.md\ngit show HEAD~1:memory.md',
        '{"confidence": 0.72, "witnesses": 2, "disputed": false}')
EPOCH = dt.datetime(2023, 1, 1, 8, 0, tzinfo=dt.timezone.utc)
TOPICS = 64
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"


def load_words(path: str | None) -> list[str]:
    """Lower-case ASCII words of 3 to 14 letters, sorted, without duplicates."""
    words: list[str] = []
    for p in (path, WORDS):
        if p and os.path.exists(p):
            with open(p, encoding="utf-8", errors="replace") as f:
                words = f.read().split("\n")
            break
    else:  # no word list on this machine: words of the interpreter's own documentation
        import pydoc_data.topics
        words = re.split(r"[^A-Za-z]+", " ".join(pydoc_data.topics.topics.values()))
    found = {w for w in words if re.fullmatch(r"[a-z]{3,14}", w)}
    return sorted(found - set(FUNCTION_WORDS))


class Corpus:
    def __init__(self, seed: int = 1, words: str | None = None, body_words: int = 120, q: float = 1.2, knee: int = 1000):
        self.seed, self.body_words = seed, body_words
        rng = random.Random(f"{seed}:vocabulary")
        rest = load_words(words)
        rng.shuffle(rest)
        self.vocab = FUNCTION_WORDS + rest
        self.cum = list(itertools.accumulate(1.0 / (r + q) * min(1.0, knee / r) for r in range(1, len(self.vocab) + 1)))
        # Topic words are taken from the middle of the distribution: neither stop words nor hapaxes.
        band = self.vocab[200:200 + 8000]
        self.topics = [rng.sample(band, 80) for _ in range(TOPICS)]
        self.topic_cum = list(itertools.accumulate(1.0 / (r + 1) for r in range(80)))
        pick = self.vocab[150:4000]
        self.phrases = [tuple(rng.sample(pick, rng.choice((2, 3)))) for _ in range(400)]
        self.phrase_cum = list(itertools.accumulate(1.0 / (r + 1) for r in range(400)))
        self.projects = [f"project:{w}" for w in rng.sample(band, 40)]

    # -- identity -------------------------------------------------------------------------------
    def id(self, i: int) -> str:
        """m_ + 10 characters of a hash: looks random, unique in practice, no dependence on N."""
        h = int.from_bytes(hashlib.sha256(f"{self.seed}:{i}".encode()).digest()[:8], "big")
        return "m_" + "".join(BASE32[h >> k & 31] for k in range(0, 50, 5))

    def type(self, i: int) -> str:
        return random.Random(f"{self.seed}:{i}:type").choice(TYPES)

    def ref(self, i: int) -> str:
        return f"{self.type(i)}:{self.id(i)}"

    def created(self, i: int) -> dt.datetime:
        """Spread over 48 months in a fixed interleaved order (so every N covers every month)."""
        minutes = (i * 7919 * 61) % (48 * 30 * 24 * 60)
        return EPOCH + dt.timedelta(minutes=minutes)

    def path(self, i: int) -> str:
        c = self.created(i)
        return f"memories/{c.year:04d}/{c.month:02d}/{self.id(i)}.md"

    # -- text -----------------------------------------------------------------------------------
    def _words(self, rng: random.Random, topic: int, n: int) -> list[str]:
        out: list[str] = []
        common = rng.choices(self.vocab, cum_weights=self.cum, k=n)
        focus = rng.choices(self.topics[topic], cum_weights=self.topic_cum, k=12)  # a memory repeats its own words
        special = rng.choices(focus, k=n)
        for a, b in zip(common, special):
            x = rng.random()
            if x < 0.012:
                out.extend(rng.choices(self.phrases, cum_weights=self.phrase_cum)[0])
            else:
                out.append(b if x < 0.30 else a)
            if len(out) >= n:
                break
        return out[:n]

    def _sentences(self, rng: random.Random, words: list[str]) -> str:
        out, i = [], 0
        while i < len(words):
            k = rng.randint(7, 18)
            s = words[i:i + k]
            i += k
            if len(s) > 9 and rng.random() < 0.4:
                s[len(s) // 2] += ","
            out.append(s[0].capitalize() + ("" if len(s) == 1 else " " + " ".join(s[1:])) + ".")
        return " ".join(out)

    def memory(self, i: int) -> dict:
        """The record of memory i: everything its frontmatter and body say."""
        rng = random.Random(f"{self.seed}:{i}")
        topic = rng.choices(range(TOPICS), cum_weights=list(itertools.accumulate(1 / (t + 3) for t in range(TOPICS))))[0]
        created = self.created(i)
        iso = lambda d: d.strftime("%Y-%m-%dT%H:%M:%SZ")
        back = lambda: self._earlier(rng, i)
        author = rng.choice(AGENTS)
        derived = sorted({b for b in (back() for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))) if b})
        hub = random.Random(f"{self.seed}:{i}:hub")  # its own stream: one in seven also rests on an old, much cited memory
        if i and hub.random() < 0.15:
            j = int(i * hub.random() ** 4)
            if self.created(j) <= self.created(i):
                derived = sorted({*derived, self.ref(j)})
        share = rng.random()
        if share < 0.20:
            grants: list[str] = []
        elif share < 0.30:
            grants = ["*"]
        else:
            grants = sorted(set(rng.sample(HUMANS, rng.randint(0, 2)) + rng.sample(AGENTS, rng.randint(0, 2))
                                + [rng.choice(CONTEXTS + GROUPS)]))
        conf = round(rng.uniform(0.35, 0.97), 2)
        history, c, when = [], round(rng.uniform(0.4, 0.8), 2), created
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            history.append({"at": iso(when), "confidence": c, "reason": rng.choice(REASONS), "by": rng.choice(AGENTS)})
            when += dt.timedelta(hours=rng.randint(4, 900))
            c = round(min(0.97, max(0.05, c + rng.uniform(-0.2, 0.25))), 2)
        history[-1]["confidence"] = conf
        witnesses = [{"agent": a, "at": iso(created + dt.timedelta(hours=rng.randint(1, 300))),
                      "attestation": rng.choices(("confirm", "partial", "dispute"), weights=(8, 2, 1))[0]}
                     for a in rng.sample(AGENTS, rng.choice((0, 0, 1, 1, 2)))]
        summary = self._sentences(rng, self._words(rng, topic, rng.randint(6, 11)))[:-1]
        tags = sorted(rng.sample(self.topics[topic][:12], rng.randint(2, 4)))
        body = self._body(rng, topic, i, summary)
        return {
            "id": self.id(i), "type": self.type(i), "summary": summary, "tags": tags,
            "project": rng.choice(self.projects), "created": iso(created), "updated": history[-1]["at"],
            "author": author, "platform": rng.choice(PLATFORMS), "session": f"ses_{rng.getrandbits(40):010x}",
            "source_type": rng.choice(SOURCES), "source_entity": rng.choice(HUMANS + AGENTS) if rng.random() < 0.6 else None,
            "derived_from": derived, "supersedes": back() if rng.random() < 0.07 else None,
            "subjects": sorted(rng.sample(HUMANS, rng.choice((0, 0, 1, 2)))), "access": grants,
            "consent": sorted(rng.sample(HUMANS, 1)) if grants and grants != ["*"] and rng.random() < 0.5 else [],
            "context": rng.choice(CONTEXTS), "confidence": conf, "history": history, "witnesses": witnesses,
            "anchors": [{"type": "git_commit", "ref": f"{rng.getrandbits(160):040x}"}] if rng.random() < 0.5 else [],
            "body": body,
        }

    def _earlier(self, rng: random.Random, i: int) -> str | None:
        """The id of a memory before i in both order and date (mostly among the last thousand), or None."""
        for _ in range(8):
            j = i - 1 - int(rng.expovariate(1 / 400))
            if j >= 0 and self.created(j) <= self.created(i):
                return self.ref(j)
        return None

    def _body(self, rng: random.Random, topic: int, i: int, summary: str) -> str:
        words = self._words(rng, topic, max(20, int(rng.gauss(self.body_words, self.body_words / 4))))
        a, b = len(words) * 4 // 10, len(words) * 7 // 10
        wrap = lambda t: textwrap.fill(t, 88, break_long_words=False, break_on_hyphens=False)
        out = [f"# {summary}", "", wrap(self._sentences(rng, words[:a])), "", "## Evidence", "",
               wrap(self._sentences(rng, words[a:b])), ""]
        rest, k = words[b:], 0
        while k < len(rest):
            n = rng.randint(6, 12)
            out.append("- " + " ".join(rest[k:k + n]))
            k += n
        x = rng.random()
        if x < 0.06:
            out += ["", "```", rng.choice(CODE), "```"]
        elif x < 0.14:
            out += ["", "> " + self._sentences(rng, self._words(rng, topic, 9))]
        if i and rng.random() < 0.7:
            out += ["", f"See [[{self.ref(rng.randrange(i))}]]."]
        return "\n".join(out) + "\n"

    def text(self, i: int) -> str:
        """The file: YAML frontmatter (block style, as people edit it) and the Markdown body."""
        m = self.memory(i)
        L = ["---", f"type: {m['type']}", f"id: {m['id']}", f"title: {m['summary']}", f"tags: [{', '.join(m['tags'])}]",
             f"scope: {m['project']}", f"created_at: \"{m['created']}\"", f"author: {m['author']}", f"platform: {m['platform']}",
             f"source: session {m['session']}", f"source_type: {m['source_type']}"]
        if m["source_entity"]:
            L.append(f"source_entity: {m['source_entity']}")
        L += self._list("derived_from", m["derived_from"])
        if m["supersedes"]:
            L.append(f"supersedes: {m['supersedes']}")
        L += self._list("subject_ids", m["subjects"]) + self._list("access_grants", m["access"]) + self._list("consent_grants", m["consent"])
        L += [f"context: {m['context']}", f"confidence: {m['confidence']}", "confidence_history:"]
        old = "null"
        for h in m["history"]:
            op = "assert" if old == "null" else "edit"
            L.append(f"  - {{timestamp: \"{h['at']}\", op: {op}, old: {old}, new: {h['confidence']}, reason: \"{h['reason']}\", by: \"{h['by']}\"}}")
            old = str(h["confidence"])
        if m["witnesses"]:
            L.append("witnesses:")
            L += [f"  - {{agent_id: \"{w['agent']}\", attestation: {w['attestation']}, witnessed_at: \"{w['at']}\"}}" for w in m["witnesses"]]
        L.append("---")
        return "\n".join(L) + "\n" + m["body"]

    @staticmethod
    def _list(key: str, values: list[str]) -> list[str]:
        if not values:
            return [f"{key}: []"]
        return [f"{key}:"] + [f"  - {v!r}" if v == "*" else f"  - {v}" for v in values]

    # -- queries --------------------------------------------------------------------------------
    def queries(self) -> dict[str, list]:
        """Benchmark queries by class.  They do not depend on N.

        term1: one word (common, middle, rare) · term3: three words of one topic (AND) · phrase: a planted
        collocation · meta: (word, project) · grants: (word, principals that may read)
        """
        rng = random.Random(f"{self.seed}:queries")
        mid = [self.topics[t][rng.randrange(2, 10)] for t in rng.sample(range(24), 6)]
        rare = [self.vocab[rng.randrange(3000, 6000)] for _ in range(2)]
        common = [self.vocab[rng.randrange(110, 140)] for _ in range(2)]
        term3 = [tuple(rng.sample(self.topics[t][:6], 3)) for t in rng.sample(range(12), 6)]
        principals = [("*", rng.choice(HUMANS), rng.choice(CONTEXTS), rng.choice(GROUPS)) for _ in range(6)]
        return {"term1": common + mid + rare, "term3": term3, "phrase": self.phrases[:10],
                "meta": [(w, p) for w, p in zip(mid, rng.sample(self.projects, 6))],
                "grants": list(zip(mid, principals))}

    def digest(self, n: int) -> str:
        h = hashlib.sha256()
        for i in range(n):
            h.update(self.path(i).encode() + b"\0" + self.text(i).encode())
        return h.hexdigest()

    def stats(self, n: int) -> dict:
        """What the fit is judged by: distinct words in the first 100k and 800k, share of the 100 most frequent,
        distinct words among a body's first 120; also frontmatter lines and bytes a file (medians)."""
        seen: dict[str, int] = {}
        total, at, distinct, lines, sizes = 0, {}, [], [], []
        for i in range(n):
            text = self.text(i)
            head, body = text.split("\n---\n", 1)
            words = re.findall(r"[a-z]+", body.lower())
            for w in words:
                seen[w] = seen.get(w, 0) + 1
                total += 1
                if total in (100_000, 800_000):
                    at[total] = len(seen)
            distinct.append(len(set(words[:120])))
            lines.append(head.count("\n") + 2)
            sizes.append(len(text))
        middle = lambda x: sorted(x)[len(x) // 2]
        return {"words": total, "distinct_at": at, "top100": round(sum(sorted(seen.values())[-100:]) / total, 3),
                "distinct_in_120": middle(distinct), "frontmatter_lines": middle(lines), "bytes": middle(sizes)}

    def write(self, out: str, n: int, start: int = 0) -> int:
        """Write memories start..n-1 under `out`; the bytes written."""
        total, made = 0, set()
        for i in range(start, n):
            path = os.path.join(out, self.path(i))
            folder = os.path.dirname(path)
            if folder not in made:
                os.makedirs(folder, exist_ok=True)
                made.add(folder)
            data = self.text(i).encode()
            total += len(data)
            with open(path, "wb") as f:
                f.write(data)
        return total


def main(argv: list[str] | None = None) -> int:
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("out", nargs="?")
    ap.add_argument("--n", type=int, default=1000)
    ap.add_argument("--start", type=int, default=0, help="first memory to write (to grow a vault in place)")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--words", help="file of one word a line (default: %s)" % WORDS)
    ap.add_argument("--body-words", type=int, default=120)
    ap.add_argument("--stats", action="store_true", help="print the fit of the first N memories, write nothing")
    a = ap.parse_args(argv)
    c = Corpus(a.seed, a.words, a.body_words)
    if a.stats:
        print(c.stats(a.n))
        return 0
    if not a.out:
        ap.error("OUT is needed")
    t = time.perf_counter()
    size = c.write(a.out, a.n, a.start)
    t = time.perf_counter() - t
    print(f"{a.n - a.start} memories, {size / 1e6:.1f} MB, {t:.1f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
