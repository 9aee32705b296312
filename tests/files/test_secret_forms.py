"""Secrets in texts: which forms are recognized, what is left alone, and in linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.files.secret_forms import forms, masked, masks_in, secrets_in

SIGNS = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefGHIJklmnop"
SECRETS = {
    "github token": ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "gho_" + SIGNS[:36], "github_pat_" + SIGNS),
    "gitlab token": ("glpat-" + SIGNS[:20], "glrt-" + SIGNS[:20]),
    "aws key id": ("AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE"),
    "openai key": ("sk-proj-" + SIGNS, "sk-" + SIGNS[:48]),
    "anthropic key": ("sk-ant-api03-" + SIGNS,),
    "slack token": ("xoxb-123456789012-1234567890123-" + SIGNS[:24],),
    "stripe key": ("sk_live_" + SIGNS[:24],),
    "google key": ("AIza" + SIGNS[:35],),
    "npm token": ("npm_" + SIGNS[:36],),
    "json web token": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6y",),
    "private key": (f"-----BEGIN RSA PRIVATE KEY-----\n{SIGNS}\n{SIGNS}==\n-----END RSA PRIVATE KEY-----",),
}


@pytest.mark.parametrize(("form", "secret"), [(form, one) for form, some in SECRETS.items() for one in some])
def test_a_secret_is_masked_and_named_by_form_and_line(form: str, secret: str) -> None:
    text = f"First line.\nIt is {secret}, and the rest stays."
    (found,) = secrets_in(text)
    assert (found.form, found.line) == (form, 2)
    after = masked(text)
    assert f"[secret: {form}]" in after
    assert secret not in after
    assert after.startswith("First line.\nIt is [")
    assert after.endswith(", and the rest stays.")
    assert after.count("\n") == text.count("\n")
    assert not secrets_in(after)
    assert [*masks_in(after)] == [(form, 2)]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("postgres://app:hunter2@db.example/x", "postgres://app:[secret: password in a URL]@db.example/x"),
        ("redis://:s3cr3tpass@localhost:6379", "redis://:[secret: password in a URL]@localhost:6379"),
        (f"Authorization: Bearer {SIGNS[:40]}", "Authorization: Bearer [secret: bearer token]"),
        (f"https://oauth2:glpat-{SIGNS[:20]}@git.example/a", "https://oauth2:[secret: gitlab token]@git.example/a"),
    ],
)
def test_only_the_secret_part_is_masked(text: str, after: str) -> None:
    assert masked(text) == after


@pytest.mark.parametrize(
    "text",
    [
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "postgres://user:password@host/db", "https://me:${TOKEN}@host",
        "the class sk-folding-cube-loader-animation", "a risk-averse-and-otherwise-unremarkable plan", "http://host:8080/a@b",
        "the bearer of this letter", "A key begins with -----BEGIN PRIVATE KEY-----, and ends with -----END.",
        "mask-image",
    ],
)  # fmt: skip
def test_examples_and_words_are_no_secrets(text: str) -> None:
    assert secrets_in(text) == ()


@given(st.lists(st.sampled_from([one for some in SECRETS.values() for one in some] + ["tea", "\n", " ", "://"])))
def test_what_is_masked_has_no_secret(parts: list[str]) -> None:
    text = " ".join(parts)
    assert not secrets_in(masked(text))
    assert masked(masked(text)) == masked(text)


def test_forms_are_bounded() -> None:
    # A repetition inside of a repetition could take quadratic time; what is possessive gives nothing back.
    for form in forms():
        assert form.near
        re.compile(form.pattern)
        assert not re.search(r"\([^()]*[*+](?![+])[^()]*\)[*+](?![+])", form.pattern), form.name
