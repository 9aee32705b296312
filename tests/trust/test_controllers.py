"""Who stands behind whom, as far as the files of entities can be relied on."""

from __future__ import annotations

import pytest

from memstore.trust.verification import Controllers, Voucher
from tests.memory_workspace import memory_workspace


def entity(name: str, controller: str) -> bytes:
    return f'---\ntype: entity\nid: "{name}"\ncontroller: "{controller}"\n---\n'.encode()


PITH = {"entities/si/pith.md": entity("si:pith", "human:claire")}


def test_who_controls_an_entity_is_what_its_file_says() -> None:
    found = Controllers(memory_workspace(PITH).view(), None)
    assert [found.of(one) for one in ("si:pith", "human:claire", "si:ash")] == [
        "human:claire",
        "human:claire",
        "si:ash",
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"entities/si/pith.md": b"broken"},
        PITH | {"entities/si/other.md": entity("si:pith", "human:sean")},
        PITH | {"entities/a.md": entity("si:pith", "human:sean")},
        PITH | {"entities/zz/pith.md": entity("si:pith", "human:sean")},
        {"entities/si/pith.md": entity("si:path", "human:sean")},
    ],
)
def test_where_files_can_not_be_relied_on_nobody_knows_whose_voice_it_is(files: dict[str, bytes]) -> None:
    ws = memory_workspace(files)
    assert Controllers(ws.view(), None).of("si:pith") == ""
    voucher = Voucher(ws.view())
    # It may be anybody's, so it vouches for nobody.
    assert voucher.is_one_voice("si:pith", "human:claire")
    assert voucher.is_one_voice("human:claire", "si:pith")
    assert not voucher.is_one_voice("human:claire", "human:dora")
