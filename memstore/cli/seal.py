"""`memstore privacy seal` and `memstore privacy unseal`: memories as encrypted files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command, ref_argument
from memstore.cli.written import saving_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.memories.seal import SealedMemories


@command(
    "seal",
    examples=(
        "memstore privacy seal m_7f3 --dry-run           # for whom",
        "memstore privacy seal m_7f3 m_9qc -c",
        "memstore privacy seal m_7f3 --context ctx:care  # for a key that can be destroyed: forget --shred",
    ),
)
@ref_argument("refs", metavar="REF…", nargs=-1, required=True)
@click.option("--context", "in_context", metavar="CTX", help="Seal them for the key of this context alone.")
@saving_options()
def seal(session: CliSession, refs: tuple[str, ...], *, in_context: str | None, commit: bool, dry_run: bool) -> None:
    """Encrypt memories as whole files, for the SSH keys of all who may see them; needs memstore-vault[seal].

    Whoever has one of these keys uses them like any other memory; for anybody else they are not there. The file's name
    keeps nothing but the beginning of the id. A sealed memory that is sealed again is encrypted for those who may see
    it by now, as every change of it does.
    """
    from memstore.memories.seal import seal as sealed

    done = sealed(session.view(), refs, context=in_context, commit=commit, dry_run=dry_run)
    session.emit("seal", done, lambda: _lines(session, done, "would be sealed" if dry_run else "sealed"), each="sealed")
    for one in done.memories:
        if one.in_history:
            session.say(f"commits still have the plain text, as {one.was}: whoever has the repository reads it there")
            name = one.ref.partition(":")[2]
            session.say(
                f"  memstore forget {name} --purge DIR writes a clone without it, once the sealing is committed"
            )
    if done.key:
        session.say(f"the key of {done.context} is in {done.key}; keep a copy, and give one to those who may read them")
        session.say(f"nobody reads them without it; memstore forget --shred {done.context} destroys this one")


@command("unseal", examples=("memstore privacy unseal m_7f3", "memstore privacy unseal m_7f3 -c"))
@ref_argument("refs", metavar="REF…", nargs=-1, required=True)
@saving_options()
def unseal(session: CliSession, refs: tuple[str, ...], *, commit: bool, dry_run: bool) -> None:
    """Store sealed memories as plain text again, byte for byte as they were sealed or last changed."""
    from memstore.memories.seal import unseal as unsealed

    done = unsealed(session.view(), refs, commit=commit, dry_run=dry_run)
    session.emit(
        "unseal", done, lambda: _lines(session, done, "would be unsealed" if dry_run else "unsealed"), each="unsealed"
    )


def _lines(session: CliSession, done: SealedMemories, what: str) -> Iterator[str]:
    for one in done.memories:
        to = (
            f" for the key of {done.context}"
            if done.context
            else f" for {', '.join(one.readers)}"
            if one.readers
            else ""
        )
        yield f"{session.paint.path(one.path)}: {session.paint('ref', one.ref)} {what}{to}"
