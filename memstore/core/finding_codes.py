"""All finding codes: their severity, what they mean and what to do. docs/findings.md lists the same."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from memstore.core.finding import Extent, Finding, Position, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.memory import Memory

    Place = Callable[..., Position]
    Part = Callable[..., Extent | None]


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One code; `meaning` is one line, `explanation` says why it matters and what to do."""

    name: str
    severity: Severity
    meaning: str
    explanation: str


def _error(name: str, meaning: str, explanation: str) -> FindingCode:
    return FindingCode(name, Severity.ERROR, meaning, explanation)


def _warning(name: str, meaning: str, explanation: str) -> FindingCode:
    return FindingCode(name, Severity.WARNING, meaning, explanation)


def _notice(name: str, meaning: str, explanation: str) -> FindingCode:
    return FindingCode(name, Severity.NOTICE, meaning, explanation)


_CODES = (
    # -- the file
    _error(
        "file-too-large",
        "the file is larger than a memory may be",
        "A memory is about a page; at most 8 MiB are read. Keep the bulk elsewhere and cite it with a `file:` "
        "source, or name the file in .memstoreignore.",
    ),
    _error(
        "file-unreadable",
        "the file can't be read",
        "The system refused: look at the file's permissions, and whether it is a plain file inside the vault.",
    ),
    _error(
        "unmerged",
        "git could not merge the file, and waits for a decision",
        "Until then nothing here is committed. Of a sealed file, git keeps both versions, and the work tree has ours: "
        "`git checkout --theirs FILE` takes the other one, `memstore edit` puts into it what both say. `git add FILE` "
        "tells git that it is decided.",
    ),
    _warning(
        "not-checked-out",
        "the file is as git stores it: encrypted by git-crypt, or a pointer of git-lfs",
        "Its text is not here, so nothing of it is known, found or checked. `git-crypt unlock` decrypts such files, "
        "`git lfs pull` fetches them; reading does neither.",
    ),
    _error(
        "sealed-damaged",
        "a sealed file is cut off, was changed or renamed by hand, or is not sealed at all",
        "Nobody can open it as it is. `git checkout` brings back a committed version, or `memstore undo` the last one. "
        "Plain text under the name of a sealed file is no secret any more: seal the memory anew.",
    ),
    _error(
        "sealed-no-memory",
        "what was sealed in a file is not a memory",
        "Only memories are sealed. Somebody put other bytes in its place: `memstore log` says who.",
    ),
    _error(
        "sealed-beside-plain",
        "a plain file is beside the sealed one of the same name",
        "A copy in plain text makes the seal useless. Delete the plain file; `memstore privacy unseal` would make one "
        "in place of the sealed file.",
    ),
    _error(
        "sealed-wider",
        "a sealed file can be opened by somebody who may not see the memory",
        "It is encrypted for more keys than those of the people who may see it: because somebody left a group, a key "
        "was revoked, a consent was taken back, or it was sealed by hand. `memstore privacy seal REF` seals it anew; "
        "copies that were made before stay readable.",
    ),
    _warning(
        "sealed-narrower",
        "somebody may see a sealed memory and can't open it",
        "It was sealed before they could see it, or for another key of theirs. `memstore privacy seal REF` seals it "
        "anew.",
    ),
    _warning(
        "sealed-name",
        "the name of a sealed file is not the beginning of its memory's id",
        "It was renamed, so that its name may say what it is about, or another memory was sealed in its place. "
        "`memstore mv` gives it another name.",
    ),
    _warning(
        "sealed-source",
        "a new memory in plain text was made from a sealed one",
        "Whoever has the files reads it. `memstore privacy seal REF` seals it, too, best before it is committed.",
    ),
    _notice(
        "sealed-unread",
        "sealed files that no key here opens",
        "They are for others, or for a key that is not on this machine. `signing_key` in your settings names your SSH "
        "key; a context's key is a file that somebody gives you.",
    ),
    _error(
        "utf8-invalid",
        "the file is not UTF-8",
        "Memories are always UTF-8, so that every program reads the same words. Save the file as UTF-8; the "
        "finding gives the place of the first bad byte.",
    ),
    _error(
        "line-end",
        "the lines end with a carriage return alone",
        "Programs disagree on whether that ends a line at all. LF and CRLF are both fine.",
    ),
    _error(
        "fence-opening",
        "the frontmatter does not begin with --- on line 1",
        "A file with frontmatter but without a proper fence would pass for a plain text, and what it says about "
        "who may see it would be lost. Begin the file with a line ---.",
    ),
    _error(
        "fence-unclosed",
        "the frontmatter is opened and never closed",
        "Between the last key and the text there must be a line with --- and nothing else. `...`, four dashes, "
        "or a long dash that an editor put in do not close it.",
    ),
    _error(
        "conflict-marker",
        "a conflict marker of an unfinished merge",
        "Git left both sides in the file. Keep one side, or what is right in both, and delete the lines with "
        "<<<<<<<, ======= and >>>>>>>. In the text, only the three together are reported; indent them if you "
        "write about git.",
    ),
    # -- YAML
    _error(
        "yaml-syntax",
        "the frontmatter can't be read as YAML",
        "Usually a quote, a bracket, a space after a colon or an indent is missing. If correcting one such slip "
        "makes the frontmatter readable, the finding shows how the line should read; check that it says what you "
        "mean.",
    ),
    _error(
        "yaml-root",
        "the frontmatter is a list or a text, not keys with values",
        "Write lines of `key: value`.",
    ),
    _error(
        "yaml-document",
        "a second YAML document, or a directive",
        "`...`, `--- # note` and `%YAML` start or end YAML documents. The frontmatter is one document: delete "
        "the line.",
    ),
    _error(
        "yaml-tag",
        "a YAML tag",
        "`!x` gives a value another type, differently in every program, and runs code in some. Write the "
        "plain value, or quote the text that begins with an exclamation mark.",
    ),
    _error(
        "yaml-anchor",
        "a YAML anchor",
        "`&x` names a value to be repeated elsewhere; every line should be readable by itself. Quote a text "
        "that begins with an ampersand.",
    ),
    _error(
        "yaml-alias",
        "a YAML alias",
        '`*x` repeats a value from elsewhere. Write the value out. Everybody is `"*"`, in quotes.',
    ),
    _error(
        "yaml-merge",
        "a YAML merge key",
        "`<<` copies keys from elsewhere in YAML 1.1 and is an ordinary key in 1.2. Write the keys out.",
    ),
    _error(
        "yaml-duplicate-key",
        "a key appears twice",
        "Some programs take the first, some the last: two access_grants could show a memory to the wrong "
        "people. Keys that differ only in capital, wide or composed letters are the same key. Keep one.",
    ),
    _error(
        "yaml-key",
        "a key that is not text to every reader",
        "`no:`, `1:`, `null:`, `2026-01-01:` and `? [a]` are not text to all programs. Quote the key.",
    ),
    _error(
        "yaml-control",
        "a control character",
        "Invisible characters hide or break lines; some end a line for one program and not for another. Delete it.",
    ),
    _error(
        "yaml-tab",
        "a tab in the layout",
        "YAML forbids tabs in the indent, and its readers disagree on tabs elsewhere. Use spaces. Inside quotes "
        "and in the text below, tabs are fine.",
    ),
    _error(
        "yaml-indent",
        "a list item that is read as part of the text above",
        "An item that is indented deeper than the one before belongs to that item: `human:sean` and `si:bella` "
        "would become the one grant `human:sean - si:bella`. Put the dashes below each other.",
    ),
    _error(
        "yaml-ambiguous",
        "a plain value that YAML 1.1 and 1.2 read differently",
        "`no` may be a word or false, `017` fifteen or seventeen, `12:30` a time or 750, `1e3` a text or a "
        "number. Quote the text, or write the number plainly.",
    ),
    _error(
        "yaml-depth",
        "values nested more than 16 levels deep",
        "No key needs that; it is a mistake or an attack. Move the content into the text.",
    ),
    _error(
        "yaml-size",
        "more than 20,000 values in one frontmatter",
        "Frontmatter is about a page at most. Move the bulk of it into the text.",
    ),
    _warning(
        "note-foreign",
        "a note can't become a memory as it stands",
        "`adopt` adds lines and changes none. If a line of another program would have to change, such as its own "
        "`id` or front matter in TOML, the file stays a plain note, which is still searched, listed and cited.",
    ),
    _warning(
        "note-date",
        "a plain note's date can't be read",
        "The note is dated as if the key were not there. Write a day, like 2026-05-08, or an ISO 8601 time. A commit "
        "dated after the year 9999 counts as of its last second.",
    ),
    _notice(
        "note-frontmatter",
        "a plain note's front matter can't be read",
        "It is no YAML, so it is searched as text, and the note has no title, date or tags from it. Most often a value "
        "with a colon or a bracket has to be put in quotes. It is changed by nobody but you.",
    ),
    _notice(
        "note-encoding",
        "a plain note is not in UTF-8",
        "Its letters beyond ASCII are read as unknown ones, so words with them aren't found; it is never rewritten. "
        "Save it as UTF-8.",
    ),
    _notice(
        "file-left-out",
        "a Markdown file is left out",
        "It is a symbolic link, of which git keeps no text, or, in a vault of memstore's own, its name doesn't end in "
        "`.md`, as a memory's does. Rename it, or put the file in the place of the link.",
    ),
    # -- shapes
    _error(
        "type-missing",
        "the memory has no type",
        "`type` is the one key that every memory needs: add a line like `type: note`. Keys are written in lower case.",
    ),
    _error(
        "value-missing",
        "a required key is missing",
        "An entry of a history, a witness, an anchor or a registry file lacks a key that it must have.",
    ),
    _error(
        "value-shape",
        "a value of the wrong kind",
        "A text where a list belongs, a number where a text belongs, and so on. Nothing is converted: a text "
        "read as a list of grants would grant to each of its letters. docs/format.md has the table of keys.",
    ),
    _error(
        "value-range",
        "a number out of range",
        "Confidence is from 0 to 1; counts and weights are 0 or more. Nothing is clamped.",
    ),
    _error(
        "value-choice",
        "a word that is not one of those the key allows",
        "The words are listed in the message and in docs/format.md, in lower case.",
    ),
    _error(
        "entry-key",
        "an unknown key within an entry",
        "A memory may have keys of its own; entries of histories, witnesses, anchors and the like may not, so "
        "that a misspelled key there never goes unnoticed.",
    ),
    _error(
        "line-break",
        "a value of several lines where only one is allowed",
        "Put the rest into the text below.",
    ),
    _error(
        "id-form",
        "an id that does not have the form of an id",
        "Use 3 to 64 lower-case letters, digits, - and _, like m_7f3k9q2x1c.",
    ),
    _error(
        "entity-id",
        "something that is not an entity id",
        "People, agents, groups and contexts are written kind:name in lower case, like human:sean. A whole list "
        "in one item usually comes from a missing dash or indent.",
    ),
    _error(
        "ref-form",
        "something that is not a ref",
        "Memories are written type:id, like raw:m_f70cefb6ab.",
    ),
    _error(
        "scope-form",
        "something that is not a scope",
        "Write global or project:name; in a consent mem:ID, ctx:NAME, subject:ENTITY or source:ENTITY.",
    ),
    _error(
        "instant-form",
        "something that is not a time, or not a day of the calendar",
        'Times are UTC and quoted, like "2026-02-01T18:04:11Z"; for a time with an offset from UTC, the '
        "finding shows how it should read.",
    ),
    # -- one memory
    _warning(
        "id-missing",
        "the memory has no id",
        "It is found and cited, but nothing can refer to it. `memstore adopt`, or `check --fix`, gives it one.",
    ),
    _warning(
        "body-empty",
        "the memory says nothing below its frontmatter, and has no keys of your own",
        "Write a text, or delete the file.",
    ),
    _error(
        "body-nul",
        "a command would write U+0000 into a text",
        "Git takes such a file for a binary one, and shows neither differences nor merges; many programs read no "
        "further. UTF-16 that is read as UTF-8 is full of them. A file that already has one is read as it is.",
    ),
    _warning(
        "title-blanks",
        "the title begins or ends with spaces, or has several in a row",
        "`check --fix` removes them.",
    ),
    _warning(
        "item-repeated",
        "a list names the same thing twice",
        "`check --fix` keeps the first.",
    ),
    _warning(
        "created-in-future",
        "created_at is in the future",
        "Times are UTC; correct the date or the time zone.",
    ),
    _warning(
        "history-in-future",
        "a line of confidence_history is dated in the future",
        "It is more than an hour ahead, usually from a slip in the year. Every line that is added is dated after "
        "the last one, so that the ledger stays in order. Times are UTC; correct the date or the time zone.",
    ),
    _warning(
        "key-unknown",
        "an unknown key that is close to a known one",
        "A memory may have keys of its own, which are kept and never read. `acess_grants` is probably a slip, "
        "and the grants in it would have no effect.",
    ),
    _warning(
        "type-unknown",
        "a type that is close to a known one, in a vault with notes of other programs",
        "Their types are kept, and what has an id of memstore and such a type is read as a note. `type: belif` is "
        "probably a slip, and the memory would hold no confidence.",
    ),
    _warning(
        "heir-missing",
        "superseded, but nothing says by what",
        "Add `superseded_by: type:id`, or another status.",
    ),
    _warning(
        "draft-place",
        "a draft outside suggestions/",
        "Drafts wait in suggestions/ to be accepted or rejected. Move the file there, or set its status to active.",
    ),
    _warning(
        "forgotten-body",
        "a forgotten memory still has its text",
        "A tombstone keeps only an id and a reason. Earlier commits still have the text: see docs/privacy.md.",
    ),
    _warning(
        "source-missing",
        "nothing says where the memory comes from",
        "It is an orphan: it has no source, source_type, source_entity, channel, derived_from, relates_to, "
        "supersedes or evidence. Who wrote it and when does not say where it comes from.",
    ),
    _warning(
        "confidence-drift",
        "the confidence is not what its history amounts to",
        "The number is a function of its history. If you changed the number by hand since the last commit, it is "
        "kept, and `check --fix` adds a line with the op edit that says so; if you changed the history, `check "
        "--fix` stores what it amounts to. If the difference was committed, it stays until `memstore beliefs "
        "recompute` stores what the history amounts to, or you add a line with the op edit.",
    ),
    _warning(
        "evidence-heavy",
        "evidence weighs more than any source can",
        "A weight follows from how its source is known, and is 1 at most, for what a person said. No command "
        "writes more: a larger number was written by hand, and moves the confidence like many observations at once.",
    ),
    # -- memories together
    _error(
        "id-duplicate",
        "two files have the same id",
        "One is probably a copy of the other, and a ref would mean both: delete the `id` line of the copy and "
        "run `memstore adopt`.",
    ),
    _notice(
        "audit-lacks-events",
        "grants or consents are older than the rule that each has an audit event",
        "Told once, by the first check of a vault that others wrote in by hand, or that an earlier version made. "
        "`memstore check --fix --dry-run` lists what it would record.",
    ),
    _notice(
        "told-as-lived",
        "memories that name who told them and say direct_experience",
        "Versions before wrote `source_type: direct_experience` for what somebody told who is neither human nor agent, "
        "such as a vet. `check` reports it once. `memstore check fix-provenance --dry-run` lists them, without it they "
        "are corrected, except signed ones. What they count as evidence follows with `memstore beliefs "
        "recompute`.",
    ),
    _notice(
        "level-held-back",
        "memories have a lower level of trust than their number says",
        "Told once, by the first check of a vault. A commit or a page's copy once made a level; now it takes the "
        "author's signature over what stands there, and a witness or a time that a third party proves. `memstore trust "
        "REF` says what holds it back.",
    ),
    _notice(
        "citation-changed",
        "cited lines have changed since",
        "A memory cites lines of a file in a certain revision, and these lines say something else now or are gone. "
        "Lines that only moved are the same. `memstore check --strict` and `memstore index watch --citations` report "
        "this where the lines are now, and `memstore review` for those that a branch changes, so that it shows in the "
        "pull request. Read the memory, and cite the lines as they are.",
    ),
    _warning(
        "conflict",
        "another memory says otherwise",
        "An editor is told this by the language server while you type; everywhere else `memstore conflicts` lists it. "
        "Change one of the two, or decide with `memstore conflicts resolve` which holds.",
    ),
    _notice(
        "audience-wider",
        "more people see a memory than at the last commit",
        "An editor is told this by the language server, with the names of those who gain sight by what is typed, also "
        "through a group. Whether everybody with a say consents is another question: `grants-widened`.",
    ),
    _notice(
        "link-dangling",
        "a link leads nowhere",
        "A link is looked up as a path from the note and from the vault's folder, and `[[…]]` then as a file stem, a "
        "title, an alias, or the name of another file. A link may well exist before its note does, so this is a "
        "notice: it never makes a check fail, and if there are many of them only `memstore check --strict` lists them.",
    ),
    _warning(
        "ref-dangling",
        "a ref to a memory that is not in the vault",
        "It was deleted, never committed, or mistyped. Correct the ref, or remove it.",
    ),
    _error(
        "ref-type",
        "a ref with a type other than the memory's",
        "The id is known, but its memory has another type: either the id or the type in the ref is wrong.",
    ),
    _error(
        "lineage-cycle",
        "a memory that comes from itself",
        "Following derived_from or supersedes leads back to the memory, so that each would prove the other; or a "
        "ref names the memory it is in. Remove one of the links.",
    ),
    _warning(
        "link-one-sided",
        "a link that the other memory does not return",
        "supersedes and superseded_by, derived_from and processed_into must be written in both memories.",
    ),
    _warning(
        "compressed-lost",
        "the whole text of a compressed memory is not in the history",
        "`compressed_from` names a git blob that does not exist here, or that holds another memory. Fetch the "
        "history with that commit (`git fetch --unshallow` in a shallow clone).",
    ),
    # -- transitions: two states of one file
    _warning(
        "external-relabelled",
        "a memory from outside is now called something else",
        "`source_type: external` says that somebody else wrote the text and that it was taken in as it stood. "
        "Without it, the text is neither framed nor ranked last, and counts as evidence. To make it count, vouch "
        "for it: memstore trust witness REF --attest confirm. If the word was a slip, commit the change.",
    ),
    _error(
        "id-changed",
        "a memory's id was changed or removed",
        "Refs in other memories, and in other vaults, would point nowhere. Put the id back.",
    ),
    _warning(
        "type-changed",
        "a memory's type was changed",
        "Refs name the type, so refs to the memory must be changed with it.",
    ),
    _warning(
        "created-at-changed",
        "created_at was changed",
        "It says when the memory was written. `valid_from` and `valid_until` say when something was true.",
    ),
    _warning(
        "history-lost",
        "a line of confidence_history was changed or removed",
        "The number is a function of its history, which may only grow. If evidence was removed, `memstore check "
        "--fix` adds a line that says it was retracted. Put any other line back.",
    ),
    _warning(
        "confidence-unrecorded",
        "confidence changed, but no history line says why",
        "Replaying the history gives another number than the file. Add a line with the op edit.",
    ),
    _error(
        "forgotten-revived",
        "a forgotten memory is active again",
        "Forgetting is final for an id. Write a new memory to remember it again.",
    ),
    # -- registry files
    _warning(
        "registry-name",
        "a registry file whose id does not match its path",
        "entities/human/sean.md is about human:sean, groups/tutors.yaml about group:tutors or org:tutors, "
        "contexts/x.yaml about ctx:x.",
    ),
    _error(
        "registry-duplicate",
        "two registry files have the same id",
        "The one that is read last would win. Keep one.",
    ),
    # -- keys and attestations
    _error(
        "attestation-invalid",
        "a signature is malformed, or is over something other than its entry",
        "Somebody changed the entry, or copied it from another memory: what the entry says is not what was "
        "signed. It counts for nothing.",
    ),
    _warning(
        "attestation-stale",
        "what was signed has changed since",
        "The signature is valid, but for an earlier state. `memstore trust` says whether the content or the "
        "provenance changed.",
    ),
    _notice(
        "unsigned",
        "an agent's new memory could not be signed",
        "Somebody enrolled a key for its author, or an authority that may certify one; but the key in the settings "
        "is not there, is not one of these, or has expired. `memstore trust sign` signs the memory later.",
    ),
    _warning(
        "attestation-untrusted",
        "the key of a signature does not count",
        "It is not one of the agent's keys in .memstore/allowed_signers, was not valid then, is revoked, or has "
        "expired with nothing to prove that the signature is older. Or the statement is dated in the future, or "
        "before the memory was written.",
    ),
    _error(
        "attestation-withheld",
        "a dispute, or the decision on one, was removed from the file",
        "The vault's history has a dispute or a decision that would count today, but the file no longer has it. "
        "Trust in the memory is unverified until it is put back, or until whoever made it says something else.",
    ),
    _error(
        "attestation-rollback",
        "an older statement replaced a newer one",
        "The vault's history has a later statement by the same witness, or a version that the author signed "
        "later. Trust in the memory is unverified until that is put back, or signed again.",
    ),
    _warning(
        "anchor-lost",
        "an anchor no longer shows what the memory says",
        "The objects are gone, no ref holds them, they don't match their names, or the memory says something "
        "else now. docs/trust.md says what to do for each status.",
    ),
    _error(
        "key-unusable",
        "a line of the keyring can't be used",
        "In .memstore/allowed_signers the line lets nobody in. In .memstore/revoked_keys it might keep somebody "
        "out, so no key counts until it is corrected. `memstore trust keys` writes lines that OpenSSH can read, "
        "too.",
    ),
    _error(
        "pin-lost",
        "the commit that you pinned can't be reached",
        "It is not in the history of the current commit, or not in this clone, so no key counts. If the clone is "
        "shallow, run `git fetch --unshallow`. If the history was rewritten, find out by whom, compare the keys "
        "with their holders, and run `memstore trust keys pin` again.",
    ),
    _warning(
        "key-uncounted",
        "the keyring, or who controls or sponsors whom, was changed without a keeper's signature",
        "The vault is pinned, so a change of the keyring, or of `controller` and `sponsor` in an entity's file, "
        "counts only in a commit that a keeper signed. `git log -p` on the file shows who made it. If it is "
        "right, a keeper makes it again and signs the commit.",
    ),
    _error(
        "rotation-invalid",
        "a statement that one key replaced another proves nothing",
        "Both the old key and the new one must have signed it. The new key counts only because of its line in "
        ".memstore/allowed_signers; ask its holder whether it is theirs.",
    ),
    # -- secrets, and what was forgotten
    _error(
        "secret",
        "there is what looks like a secret: a key, a token, a password",
        "Whoever has a clone has it, and so does every agent that reads the memory. Write `[secret: …]` in its place, "
        "and make it invalid where it is used: it stays in the history. `keeps_secret: true` in the memory says that "
        "somebody wants it there; docs/security.md lists the forms.",
    ),
    _warning(
        "secret-kept",
        "there is what looks like a secret, and the memory says that it is kept",
        "Somebody wrote it with `--keep-secret`, or set `keeps_secret: true`. Whoever may see the memory has it.",
    ),
    _warning(
        "secret-in-note",
        "there is what looks like a secret in a plain note",
        "Other programs' notes are not changed here. Whoever has a clone has it.",
    ),
    _warning(
        "secret-masked",
        "what looked like a secret was masked when it was taken in",
        "A session or an import had it, so the program that recorded that has it, too. Make it invalid where it is "
        "used.",
    ),
    _notice(
        "forgotten-again",
        "it says what was forgotten in this vault",
        "Captures, imports and agents don't bring it back; a person may write it again on purpose. Only the vault's "
        "owner at a terminal is told. docs/privacy.md says what this machine keeps for that.",
    ),
    # -- who may see it
    _notice(
        "grantee-unknown",
        "somebody is granted a memory whom nothing else in the vault names",
        "Perhaps the id is misspelt: then nobody sees the memory whom it was meant for. `memstore privacy entity add` "
        "says who it is. Only the command that grants something says this, to the vault's owner.",
    ),
    _notice(
        "grant-closed",
        "somebody is granted a memory that stays closed to them",
        "Somebody with a say has not consented for them, or they may not see what the memory was derived from. "
        "The grant opens nothing until then. Ask whoever has a say; the hint records a consent. "
        "Only the command that grants something says this.",
    ),
    _notice(
        "grant-leaves-context",
        "a memory that was said in a context is granted to somebody outside of it",
        "Those who listen there have not consented, and nobody has a say in it. `set` and `privacy grant` refuse that "
        "without `--acknowledge`; what you wrote into the file yourself stands. The hint takes it back.",
    ),
    _notice(
        "guardian-missing",
        "somebody is said to have consented for a ward that has no guardian",
        (
            "Any person but the memory's owner may then consent for it. `memstore privacy entity guardian` names who "
            "may. Only the command that grants something says this, to the vault's owner."
        ),
    ),
    _error(
        "grants-widened",
        "a change lets somebody see a memory without everybody's consent",
        "Those it is about and those who told it have a say about every new grantee, who must also be allowed to "
        "see what it was derived from. Remove the grant, or record who consented with `memstore privacy grant "
        "--consent`.",
    ),
    _error(
        "say-removed",
        "a memory that others are granted no longer names somebody who has a say in it",
        "The next grant would not need their consent: those it is about, those who told it, and the grants it "
        "was told under. Put the name back. If it was wrong, remove the grants and commit, correct the name, and "
        "grant the memory again.",
    ),
    _error(
        "consent-deleted",
        "the committed file of a consent, a refusal or a revocation is gone",
        "Such files are never changed or deleted: without a refusal or a revocation somebody would see more. "
        "`memstore privacy consent revoke` takes a consent back.",
    ),
    _error(
        "consent-changed",
        "the committed file of a consent, a refusal or a revocation was changed",
        "Such files are written once, since what was consented to is what they said. `memstore privacy consent revoke` "
        "takes a consent back, and a new one can say something else.",
    ),
    _error(
        "verdict-changed",
        "the committed file of a verdict on two memories was changed",
        "Such files are written once, so that whoever judged is not made to say something else. `memstore conflicts "
        "judge` judges anew, and what it writes takes the earlier one's place.",
    ),
    _error(
        "grant-regained",
        "a merge brings back a grant that one of its sides had revoked",
        "A revoked grant stays revoked. Remove it again; `memstore privacy grant` grants the memory again.",
    ),
    _error(
        "registry-widened",
        "a registry or a setting was changed by hand, and lets somebody see more",
        "An entity's kind and guardians, a group's members, a context's roster and roles, who else sees the notes: "
        "each decides who may see what. Changes by memstore's commands leave an audit event, and are not an error.",
    ),
    _error(
        "owner-changed",
        "the vault's owner was changed by hand",
        "The owner sees everything in it. `memstore config owner` makes the change, and leaves an audit event.",
    ),
    _warning(
        "grant-unrecorded",
        "a memory is granted to somebody, and no audit event records that",
        "The grant was written by hand, or came with a merge. `memstore check --fix` records who sees the "
        "memory; `memstore privacy grant` grants and records in one step.",
    ),
    _warning(
        "consent-unrecorded",
        "a consent, a refusal or a revocation is there, and no audit event tells of it",
        "Its file was written by hand, or came by a merge. `memstore check --fix` records that it is there, so that "
        "it is missed when it is gone; `memstore privacy consent` does both in one.",
    ),
    _error(
        "vault-inside",
        "a folder of the vault is made a vault of its own",
        "Its settings name an owner, who sees what lies there whatever is granted in this vault. Take the settings "
        "away, or name the folder in `.memstoreignore`.",
    ),
    _error(
        "shared-narrower",
        "a memory in a vault of a group is not for all its members",
        "Everybody who has a clone can read the file. What is one's own lies in a vault of one's own: "
        "`memstore add --private` writes it there.",
    ),
    _error(
        "shared-private",
        "a file in a vault of a group names a memory of your own vault",
        "Everybody who has a clone can read the name. Only whoever has that memory in a vault of their own is told so.",
    ),
    _warning(
        "vault-uncommitted",
        "no commit has the vault's settings, or the files that go with them",
        "They are on this machine alone: a clone is no vault, and when another branch is checked out after they were "
        "committed on one, they are gone there. `memstore commit` commits them, and so does the first command with -c.",
    ),
    _error(
        "generalization-blocked",
        "a generalization that names somebody its source is about",
        "More people may see it than its source, and it would give away whom that is about. Say it without the name.",
    ),
    _error(
        "generalization-unacknowledged",
        "a generalization that may point back to its source, and nobody acknowledged that",
        "It shares a date, a number, a phrase or most of its words with its source, or a source does not exist, "
        "so it can't be compared. An acknowledgement of other checks doesn't count for this one. Say it another "
        "way, or put your entity id under `acknowledged_by`, and the check under `checks` if there are others.",
    ),
    _warning(
        "shared-elsewhere",
        "a memory about somebody who belongs to another context",
        "It was granted to those in this context, but its subject belongs to another one. Did you mean to share "
        "it? `memstore privacy revoke` takes a grant back.",
    ),
    _notice(
        "source-names-teller",
        "a new memory whose source is an entity's id, in words only",
        "What has the form of an entity's id was told, and `source_type` says so. Yet `source` grants and closes "
        "nothing: if it was told in confidence, `--source-entity` names who told it, whose consent sharing then takes.",
    ),
    _warning(
        "recalled-text",
        "a new raw memory that repeats what the vault already has",
        "Recalled text often comes back in the next session. It is linked to what it repeats, and does not count "
        "as new evidence. If somebody did say it again, say who: `--source-entity`.",
    ),
    # -- the audit chain
    _error(
        "audit-unreadable",
        "a file among the audit events that is not one",
        "Events are JSON, one a file, written once by memstore. Bring the file back from git.",
    ),
    _error(
        "audit-changed",
        "an audit event that is not as it was written",
        "Its digest is not the one that the file gives. Bring the file back from git.",
    ),
    _error(
        "audit-event-gone",
        "a committed audit event was changed or removed",
        "Events are written once, and never change. Bring the file back from git.",
    ),
    _error(
        "audit-missing",
        "an audit event that follows a missing one",
        "Each event names the digests of the writer's latest events before it; one of these was changed or deleted.",
    ),
    _error(
        "audit-truncated",
        "a commit names a missing audit event",
        "Commits name the latest events in the trailer Audit-Head, so that events cut off at the end are noticed.",
    ),
)

CODES: Mapping[str, FindingCode] = MappingProxyType({code.name: code for code in _CODES})

_FIRST_LINE = Position(1)


def finding_of(
    code: str,
    path: str,
    text: str,
    hint: str | None = None,
    at: Position = _FIRST_LINE,
    *,
    key: str = "",
    mended: str | None = None,
) -> Finding:
    """Return a finding with the severity of its code; it is on the first line of the file if no place is given."""
    return Finding(code, CODES[code].severity, path, at, text, hint, mended, key)


@dataclass(frozen=True, slots=True)
class Checked:
    """A memory with positions: `place` gives the position of a key or an item, `body_line` is the body's first line.

    `part` gives the extent of a key's value, of an item, or with `of_key` that of a key.
    """

    path: str
    memory: Memory
    place: Place
    body_line: int
    part: Part = lambda *_, **__: None

    def finding(
        self,
        code: str,
        text: str,
        hint: str,
        *at: str | int,
        line: int | None = None,
        mended: str | None = None,
        meant: str | None = None,
        of_key: bool = False,
    ) -> Finding:
        """Return a finding at a key or an item, or on a line of the file; `of_key` if it is about the key itself."""
        place = Position(line) if line is not None else self.place(*at)
        extent = self.part(*at, of_key=of_key) if at and line is None else None
        found = finding_of(code, self.path, text, hint, place, mended=mended, key=str(at[0]) if at else "")
        return found._replace(extent=extent, meant=meant if extent else None)
