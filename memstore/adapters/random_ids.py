"""Ids from the system's source of chance."""

from __future__ import annotations

from memstore.model.ids import ID_ALPHABET, ID_RANDOM_CHARACTERS


class RandomIds:
    """Makes ids that nobody can guess and that, in all likelihood, nobody else makes."""

    def memory_id(self) -> str:
        """Return an id: `m_` and ten characters of Crockford's base 32, 50 bits of chance."""
        import secrets

        return "m_" + "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_RANDOM_CHARACTERS))
