"""Every code that a finding can have: how bad it is, what it means, what to do. docs/findings.md lists the same."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from memstore.core.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping


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
        "the file has more bytes than a memory may have",
        "A memory is a page or so; at most 8 MiB are read. Keep the bulk elsewhere and cite it with a `file:` "
        "source, or name the file in .memstoreignore.",
    ),
    _error(
        "file-unreadable",
        "the file can't be read",
        "The system refused: look at the file's permissions, and whether it is a plain file inside the vault.",
    ),
    _error(
        "utf8-invalid",
        "the file is not UTF-8",
        "Memories are UTF-8 and nothing else, so that every program reads the same words. Save the file as "
        "UTF-8; the place of the first bad byte is given.",
    ),
    _error(
        "line-end",
        "the lines end with a carriage return alone",
        "Programs disagree on whether that ends a line at all. LF and CRLF are both fine.",
    ),
    _error(
        "fence-opening",
        "the frontmatter does not begin with --- on line 1",
        "A file that has a frontmatter but no proper fence would pass for a text without one, and what it "
        "says about who may see it would be lost. So it is an error. Begin the file with a line ---.",
    ),
    _error(
        "fence-unclosed",
        "the frontmatter is opened and never closed",
        "Between the last key and the text there has to be a line that is --- and nothing else. `...`, four "
        "dashes, or a dash that an editor made long close nothing.",
    ),
    _error(
        "conflict-marker",
        "a conflict marker of an unfinished merge",
        "Git left both sides in the file. Keep one, or what is right of both, and delete the lines with "
        "<<<<<<<, ======= and >>>>>>>. In the text, the three together are what is reported; indent them "
        "where you write about git.",
    ),
    # -- YAML
    _error(
        "yaml-syntax",
        "the frontmatter can't be read as YAML",
        "Mostly a missing quote, bracket, space after a colon, or an indent. The mended line is shown where "
        "undoing one such slip makes the text readable; check that it says what you mean.",
    ),
    _error(
        "yaml-root",
        "the frontmatter is a list or a text, not keys with values",
        "Write lines of `key: value`.",
    ),
    _error(
        "yaml-document",
        "a second YAML document, or a directive",
        "`...`, `--- # note` and `%YAML` start or end YAML documents. A frontmatter is one document: delete the line.",
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
        "`&x` names a value to be repeated elsewhere; a line should say what it says by itself. Quote a text "
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
        "a key stands twice",
        "Some programs take the first, some the last: two access_grants could show a memory to the wrong "
        "people. Keys are the same when they differ in capital, wide or composed letters alone. Keep one.",
    ),
    _error(
        "yaml-key",
        "a key that is no text to every reader",
        "`no:`, `1:`, `null:`, `2026-01-01:` and `? [a]` are not text to all programs. Quote the key.",
    ),
    _error(
        "yaml-control",
        "a control character",
        "Unseen characters hide or break lines; some end a line for one program and not for another. Delete it.",
    ),
    _error(
        "yaml-tab",
        "a tab in the layout",
        "YAML forbids tabs as indent, and its readers disagree on tabs elsewhere. Use spaces. Inside quotes "
        "and in the text below, tabs are fine.",
    ),
    _error(
        "yaml-indent",
        "a list item that is read as part of the text above",
        "An item that is indented deeper than the one before belongs to it: `human:sean` and `si:bella` would "
        "become the one grant `human:sean - si:bella`. Put the dashes below each other.",
    ),
    _error(
        "yaml-ambiguous",
        "a plain value that YAML 1.1 and 1.2 read differently",
        "`no` is a word or false, `017` fifteen or seventeen, `12:30` a time or 750, `1e3` a text or a "
        "number. Quote the text, or write the number plainly.",
    ),
    _error(
        "yaml-depth",
        "values nested more than 16 levels deep",
        "No key needs it; it is a mistake or an attack. Move the matter into the text.",
    ),
    _error(
        "yaml-size",
        "more than 20,000 values in one frontmatter",
        "A frontmatter is a page or so. Move the bulk of it into the text.",
    ),
    _warning(
        "note-foreign",
        "a note can't become a memory as it stands",
        "`adopt` adds lines and changes none. Where a line of another program's would have to go, as its own `id` or "
        "front matter in TOML, the file stays a plain note: it is searched, listed and cited all the same.",
    ),
    # -- shapes
    _error(
        "type-missing",
        "the memory has no type",
        "`type` is the one key that every memory needs: add a line like `type: note`. Keys are written in lower case.",
    ),
    _error(
        "value-missing",
        "a key that has to be there is missing",
        "An entry of a history, a witness, an anchor, or a registry file lacks what makes it one.",
    ),
    _error(
        "value-shape",
        "a value of the wrong kind",
        "A text where a list belongs, a number where a text belongs, and so on. Nothing is converted: a text "
        "taken for a list of grants would grant to its letters. docs/format.md has the table of keys.",
    ),
    _error(
        "value-range",
        "a number out of range",
        "Confidence is from 0 to 1, counts and weights are 0 or more. Nothing is clamped.",
    ),
    _error(
        "value-choice",
        "a word that is none of those the key knows",
        "The words are listed in the message and in docs/format.md, in lower case.",
    ),
    _error(
        "entry-key",
        "an unknown key within an entry",
        "A memory may have keys of its own; entries of histories, witnesses, anchors and the like may not, so "
        "that a slip there is never silently without effect.",
    ),
    _error(
        "line-break",
        "a value of several lines where one is due",
        "Put the rest into the text below.",
    ),
    _error(
        "id-form",
        "an id in no form that ids have",
        "Lower-case letters, digits, - and _, 3 to 64 of them, like m_7f3k9q2x1c.",
    ),
    _error(
        "entity-id",
        "something that is no entity id",
        "People, agents, groups and contexts are written kind:name in lower case, like human:sean. A whole "
        "list in one item comes from a missing dash or indent.",
    ),
    _error(
        "ref-form",
        "something that is no ref",
        "Memories are written type:id, like raw:m_f70cefb6ab.",
    ),
    _error(
        "scope-form",
        "something that is no scope",
        "Write global, or project:name; of a consent mem:ID, ctx:NAME, subject:ENTITY or source:ENTITY.",
    ),
    _error(
        "instant-form",
        "something that is no time, or no day of the calendar",
        'Times are UTC and quoted, like "2026-02-01T18:04:11Z"; a time with a distance from UTC is mended by itself.',
    ),
    # -- one memory
    _warning(
        "id-missing",
        "the memory has no id",
        "It is found and cited, but nothing can refer to it. `memstore adopt`, or `check --fix`, gives it one.",
    ),
    _warning(
        "body-empty",
        "the memory says nothing below its frontmatter",
        "Write a text, or delete the file.",
    ),
    _warning(
        "title-blanks",
        "the title begins or ends with blanks, or has several in a row",
        "`check --fix` takes them out.",
    ),
    _warning(
        "item-repeated",
        "a list names the same thing twice",
        "`check --fix` keeps the first.",
    ),
    _warning(
        "created-in-future",
        "created_at lies in the future",
        "Times are UTC; mend the date or the zone.",
    ),
    _warning(
        "history-in-future",
        "a line of confidence_history lies in the future",
        "More than an hour ahead: a slip in the year, mostly. Every line that is added is dated after the last one, so "
        "that the ledger stays in order. Times are UTC; mend the date or the zone.",
    ),
    _warning(
        "key-unknown",
        "an unknown key that is nearly a known one",
        "A memory may have keys of its own, which are kept and never read. `acess_grants` is probably not "
        "meant so: the grants in it would be without effect.",
    ),
    _warning(
        "heir-missing",
        "superseded, and nothing says by what",
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
        "A tombstone keeps an id and a reason, no more. Earlier commits still have the text: see docs/privacy.md.",
    ),
    _warning(
        "source-missing",
        "nothing says where the memory comes from",
        "It is an orphan: no source, source_type, source_entity, channel, derived_from, relates_to, supersedes or "
        "evidence. Who wrote it, and when, does not say where it comes from.",
    ),
    _warning(
        "confidence-drift",
        "the confidence is not what its history amounts to",
        "The number is a function of its history. Where a hand changed the number since the last commit, it stands, "
        "and `check --fix` adds the line that says so, with the op edit; where a hand changed the history, "
        "`check --fix` stores what it amounts to. What was committed so stays: `memstore recompute` stores what "
        "the history amounts to, or add a line with the op edit.",
    ),
    # -- memories together
    _error(
        "id-duplicate",
        "two files have the same id",
        "A copy was made. A ref would mean two memories: delete the `id` line of the copy and run `memstore adopt`.",
    ),
    _notice(
        "audit-lacks-events",
        "grants or consents are older than the rule that each has an audit event",
        "Told once, by the first check of a vault that others wrote in by hand, or that an earlier version made. "
        "`memstore check --fix --dry-run` lists what it would record.",
    ),
    _notice(
        "level-held-back",
        "memories have a lower level of trust than their number says",
        "Told once, by the first check of a vault. A commit or a page's copy once made a level; now it takes the "
        "author's signature over what stands there, and a witness or a time that a third party proves. `memstore trust "
        "REF` says what holds it back.",
    ),
    _notice(
        "link-dangling",
        "a link leads to no note",
        "Links to notes are looked for as a path beside the note and from the vault's folder, then "
        "`[[…]]` as a file stem, a title, an alias. A link may well be there before its note is, so this is a notice: "
        "it makes no check fail, and where there are many of them `memstore check --strict` lists them.",
    ),
    _warning(
        "ref-dangling",
        "a ref to a memory that is not in the vault",
        "It was deleted, never committed, or mistyped. Mend the ref, or take it out.",
    ),
    _error(
        "ref-type",
        "a ref that names another type than the memory has",
        "The id is known and its memory is of another type: either the id or the type is a slip.",
    ),
    _error(
        "lineage-cycle",
        "a memory that comes from itself",
        "Following derived_from, or supersedes, leads back to the memory: each would prove the other. Or a ref "
        "names the memory that it stands in. Take one link out.",
    ),
    _warning(
        "link-one-sided",
        "a link that the other side does not return",
        "supersedes and superseded_by, derived_from and processed_into are written on both sides.",
    ),
    _warning(
        "compressed-lost",
        "the whole text of a compressed memory is not in the history",
        "`compressed_from` names the blob that git keeps of it, and there is none, or it holds another memory. Fetch "
        "the history that has the commit (`git fetch --unshallow` in a shallow clone).",
    ),
    # -- what a memory may become: two states of one file
    _error(
        "id-changed",
        "a memory's id is another one than before, or gone",
        "Refs in other memories, and in other vaults, would point nowhere. Put the id back.",
    ),
    _warning(
        "type-changed",
        "a memory's type is another one than before",
        "A ref says the type, so refs to the memory have to be mended with it.",
    ),
    _warning(
        "created-at-changed",
        "created_at is another time than before",
        "It says when the memory was written. `valid_from` and `valid_until` say when something was true.",
    ),
    _warning(
        "history-lost",
        "a line of confidence_history was altered or taken out",
        "The number is a function of its history, which only grows. Evidence that was taken out is retracted: "
        "`memstore check --fix` adds a line that says so. Put any other line back.",
    ),
    _warning(
        "confidence-unrecorded",
        "confidence changed, and no history line says why",
        "Replaying the history gives another number than the file. Add a line with the op edit.",
    ),
    _error(
        "forgotten-revived",
        "a forgotten memory is active again",
        "Forgetting is final for its id. Write a new memory if it is to be known again.",
    ),
    # -- registry files
    _warning(
        "registry-name",
        "a registry file whose id is not the one that its path says",
        "entities/human/sean.md is about human:sean, groups/tutors.yaml about group:tutors or org:tutors, "
        "contexts/x.yaml about ctx:x.",
    ),
    _error(
        "registry-duplicate",
        "two registry files have the same id",
        "Whichever is read last would win. Keep one.",
    ),
    # -- keys and attestations
    _error(
        "attestation-invalid",
        "a signature is malformed, or over other words than its entry's",
        "Somebody changed the entry, or copied it from another memory: the statement that the entry stands for is not "
        "the one that was signed. It counts for nothing.",
    ),
    _warning(
        "attestation-stale",
        "what was signed changed since",
        "The signature is sound and about other words. `memstore trust` says whether content or provenance changed.",
    ),
    _warning(
        "attestation-untrusted",
        "the key of a signature does not count",
        "It is none of the agent's in .memstore/allowed_signers, was not valid then, is revoked, or has expired with "
        "nothing to prove that the signature is older. Or the statement is of a time that lies ahead, or of one before "
        "the memory was written.",
    ),
    _error(
        "attestation-withheld",
        "a dispute, or the decision on one, was taken out of the file",
        "The vault's history has a dispute or a decision that would count today, and the file has it no longer. Trust "
        "in the memory is unverified until it is put back, or until whoever said it says something else.",
    ),
    _error(
        "attestation-rollback",
        "an older statement stands where there was a newer one",
        "The vault's history has a later word of the same witness, or a version that the author signed later. Trust in "
        "the memory is unverified until that is put back, or signed anew.",
    ),
    _warning(
        "anchor-lost",
        "an anchor no longer shows what the memory says",
        "The objects are gone, no ref holds them, they are not what their names say, or the memory says something "
        "else now. docs/trust.md tells what to do for each status.",
    ),
    _error(
        "key-unusable",
        "a line of the keyring can't be used",
        "In .memstore/allowed_signers the line lets nobody in. In .memstore/revoked_keys it might keep somebody out, "
        "so no key counts until it is mended. `memstore keys` writes lines that stock OpenSSH reads as well.",
    ),
    _error(
        "pin-lost",
        "the commit that you pinned can't be reached",
        "It is not in the history of the current commit, or not in this clone: no key counts. If the clone is shallow, "
        "`git fetch --unshallow`. If the history was written anew, ask by whom, compare the keys with their holders, "
        "and `memstore keys pin` again.",
    ),
    _warning(
        "key-uncounted",
        "the keyring, or who controls or sponsors whom, was changed without a keeper's signature",
        "The vault is pinned, so a change of the keyring, or of `controller` and `sponsor` in an entity's file, counts "
        "only in a commit that a keeper signed. `git log -p` on the file tells who made it. If it is right, a keeper "
        "makes it again, and signs the commit.",
    ),
    _error(
        "rotation-invalid",
        "a statement that a key took another's place proves nothing",
        "Both keys have to have signed it, the old one and the new one. The new key counts by its line in "
        ".memstore/allowed_signers alone; ask its holder whether it is theirs.",
    ),
    # -- who may see it
    _error(
        "grants-widened",
        "a change lets somebody see a memory without everybody's consent",
        "Whom it is about and who told it have a say, for each grantee anew, and what it was made of must be open to "
        "them. Take the grant out, or let `memstore privacy grant --consent` record who said yes.",
    ),
    _error(
        "say-removed",
        "a memory that others are granted no longer names somebody who has a say in it",
        "The next grant would not ask them: whom it is about, who told it, the grants it was told under. Put the name "
        "back. If it was wrong, take the grants out and commit, mend the name, and grant the memory anew.",
    ),
    _error(
        "consent-deleted",
        "the committed file of a consent, a refusal or a revocation is gone",
        "Such files are never changed nor deleted: without a refusal or a revocation somebody would see more. "
        "`memstore consent revoke` takes a consent back.",
    ),
    _error(
        "consent-changed",
        "the committed file of a consent, a refusal or a revocation says something else",
        "Such files are written once: what was consented to is what stood there. `memstore consent revoke` takes a "
        "consent back, and a new one says something else.",
    ),
    _error(
        "grant-regained",
        "a merge brings a grant back that one of its sides had taken away",
        "A revoked grant stays revoked. Take it out again; `memstore privacy grant` grants the memory anew.",
    ),
    _error(
        "registry-widened",
        "a registry or a setting was changed by hand, and lets somebody see more",
        "An entity's kind and guardians, a group's members, a context's roster and roles, who else sees the notes: "
        "each decides who may see. The commands that change them leave an audit event, and are no error.",
    ),
    _error(
        "owner-changed",
        "the vault's owner was changed by hand",
        "Its owner sees all of it. `memstore config owner` makes the change, and leaves an audit event.",
    ),
    _warning(
        "grant-unrecorded",
        "a memory is granted to somebody, and no audit event tells of it",
        "It was written by hand, or came by a merge. `memstore check --fix` records who sees it; "
        "`memstore privacy grant` does both in one.",
    ),
    _warning(
        "consent-unrecorded",
        "a consent, a refusal or a revocation is there, and no audit event tells of it",
        "Its file was written by hand, or came by a merge. `memstore check --fix` records that it is there, so that "
        "it is missed when it is gone; `memstore consent` does both in one.",
    ),
    _error(
        "vault-inside",
        "a folder of the vault is made a vault of its own",
        "Its settings name an owner, who sees what lies there whatever is granted in this vault. Take the settings "
        "away, or name the folder in `.memstoreignore`.",
    ),
    _error(
        "generalization-blocked",
        "a generalization that names whom its source is about",
        "It would be seen more widely than its source, and give away whom that is about. Say it without the name.",
    ),
    _error(
        "generalization-unacknowledged",
        "a generalization that may point back at its source, and nobody said that this is fine",
        "It shares a date, a number, a phrase or most of its words with its source, or a source is not there to "
        "compare it with. Say it another way, or put your entity id under `acknowledged_by`.",
    ),
    _warning(
        "shared-elsewhere",
        "a memory about somebody who belongs to another context",
        "It was granted to those who are here, and its subject belongs elsewhere. Did you mean to share that? "
        "`memstore privacy revoke` takes a grant back.",
    ),
    _warning(
        "recalled-text",
        "a new raw memory that repeats what the vault has",
        "Text that was recalled often comes back with the next session. It is linked with what it repeats, and is "
        "no new evidence. Where somebody did say it anew, say who: `--source-entity`.",
    ),
    # -- the audit chain
    _error(
        "audit-unreadable",
        "a file among the audit events that holds none",
        "Events are JSON, one a file, written once by memstore. Bring the file back from git.",
    ),
    _error(
        "audit-changed",
        "an audit event that is not as it was written",
        "Its digest is another one than the file says. Bring the file back from git.",
    ),
    _error(
        "audit-event-gone",
        "a committed audit event was changed or taken out",
        "Events are written once, and stay. Bring the file back from git.",
    ),
    _error(
        "audit-missing",
        "an audit event that follows one that is not there",
        "Each event names the digests of the writer's latest events before it; one of these was changed or deleted.",
    ),
    _error(
        "audit-truncated",
        "a commit names an audit event that is not there",
        "Commits name the latest events in the trailer Audit-Head, so events that were cut off at the end are missed.",
    ),
)

CODES: Mapping[str, FindingCode] = MappingProxyType({code.name: code for code in _CODES})
