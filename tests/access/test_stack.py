"""What the manifest of a shared stack says, and who sees what by it, and until when."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.access import stack
from memstore.access.policy import decide
from memstore.access.stack import Stack, StackMemory, members_now, sight_ends
from memstore.access.world import Consent, Labels, Member, Session, World
from memstore.core.errors import FormatError

NOW = datetime(2026, 3, 1, tzinfo=UTC)
APRIL, MAY = datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
MAX, SEAN, EVE = "si:max", "human:sean", "human:eve"
PLAIN = Stack(
    id="stk_1",
    name="for-max",
    by="si:ash",
    to=MAX,
    at="2026-03-01T00:00:00Z",
    memories=(StackMemory("notes/tea.md", "sha256:1", "m_tea"), StackMemory("notes/x.md", "sha256:2", withheld=True)),
)
CARE = replace(PLAIN, to="group:care", members=(Member(id=MAX, until=APRIL), Member(id=SEAN)))


def sees(manifest: Stack, viewer: str, labels: Labels, at: datetime = NOW) -> bool:
    known = {labels.id: manifest.label(labels, at)}
    return decide(manifest.world()._replace(memories=known), Session(viewer=viewer, at=at), labels.id).allowed


@pytest.mark.parametrize(
    "made", [PLAIN, CARE, replace(PLAIN, to="*", languages=("de",), notes="mixed", commit="sha256:0")]
)
def test_a_manifest_reads_back_as_it_was_written(made: Stack) -> None:
    assert stack.read(stack.written(made)) == made


def test_only_its_recipients_see_what_it_lists() -> None:
    tea = Labels(id="m_tea", subject_ids=("dog:bella",), derived_from=("note:m_gone",), access_denies=(MAX,))
    assert sees(PLAIN, MAX, tea)
    assert not sees(PLAIN, EVE, tea)
    assert not sees(PLAIN, MAX, tea._replace(id="m_slipped", access_grants=("*", MAX)))
    assert sees(replace(PLAIN, to="*"), EVE, tea)
    ending = replace(PLAIN, memories=(StackMemory("notes/tea.md", "", "m_tea", until="2026-04-01T00:00:00Z"),))
    assert sees(ending, MAX, tea)
    assert not sees(ending, MAX, tea, at=APRIL)


def test_members_see_it_while_they_are_members() -> None:
    tea = Labels(id="m_tea")
    assert sees(CARE, MAX, tea)
    assert not sees(CARE, MAX, tea, at=APRIL)
    assert sees(CARE, SEAN, tea, at=MAY)
    assert not sees(CARE, EVE, tea)
    assert [CARE.is_for(MAX, at) for at in (NOW, APRIL)] == [True, False]
    assert not CARE.is_for("group:care", NOW)


def test_members_of_groups_in_a_group_are_in_it_until_the_earlier_end() -> None:
    world = World(
        owner="si:ash",
        groups={
            "group:care": (Member(id="group:vets", until=MAY), Member(id=MAX, since=APRIL), Member(id=SEAN, until=NOW)),
            "group:vets": (Member(id="vet:smith", until=APRIL), Member(id="vet:lee"), Member(id="group:care")),
        },
    )
    assert members_now(world, "group:care", NOW) == (
        Member(id="vet:lee", until=MAY),
        Member(id="vet:smith", until=APRIL),
    )


def test_sight_ends_with_what_it_rests_on() -> None:
    world = World(
        owner="si:ash",
        groups={"group:club": (Member(id=MAX, until=APRIL),)},
        consents=(Consent(id="c", grantor=SEAN, grantee=MAX, scope="mem:m_about", granted_at=NOW, expires_at=MAY),),
        memories={
            "m_club": Labels(id="m_club", access_grants=("group:club",)),
            "m_about": Labels(id="m_about", access_grants=(MAX,), subject_ids=(SEAN,)),
            "m_own": Labels(id="m_own", access_grants=(MAX,)),
        },
    )
    assert sight_ends(world, PLAIN, [*world.memories], NOW) == {"m_club": APRIL, "m_about": MAY}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = sorted(json.loads(stack.written(CARE)))


@given(st.sampled_from(KEYS), JSON)
@example("at", "")
def test_whatever_a_key_holds_it_is_a_manifest_or_a_format_error(key: str, value: Any) -> None:
    said = json.loads(stack.written(CARE)) | {key: value}
    try:
        read = stack.read(json.dumps(said).encode())
    except FormatError:
        return
    assert stack.read(stack.written(read)) == read
    assert all(not one.path.startswith(("/", ".")) and ".." not in one.path.split("/") for one in read.memories)


@pytest.mark.parametrize("place", ["said", "memory", "member"])
def test_a_key_that_the_format_lacks_is_refused(place: str) -> None:
    said = json.loads(stack.written(CARE))
    {"said": said, "memory": said["memories"][0], "member": said["members"][0]}[place]["extra"] = None
    with pytest.raises(FormatError, match=r"memstore\.stack/1 has no key 'extra'"):
        stack.read(json.dumps(said).encode())


@given(st.binary(max_size=200))
def test_other_bytes_are_none(data: bytes) -> None:
    with pytest.raises(FormatError):
        stack.read(data)


OUTSIDE = ("../x.md", "/etc/passwd", "a/../../x.md", ".git/config", "a//b.md", "", "a\\..\\b.md", "a\0b")


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    with pytest.raises(FormatError, match="leads out of the stack"):
        stack.read(stack.written(replace(PLAIN, memories=(StackMemory(path, ""),))))
