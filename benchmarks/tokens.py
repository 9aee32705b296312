"""How near the tokens that `recall` counts come to those of language models.

    pip install quicktok-v1 tokenizers
    python benchmarks/tokens.py [TOKENIZER.json...] [TEXT...]

Counts English (the documentation, and the sample vault), code (the package itself), notes in other languages
(languages.toml), and each TEXT, a file. Compared are cl100k, o200k, and the tokenizers of Llama 3 and Qwen 3 (by
quicktok-v1, which brings their tables along), and tokenizers of Hugging Face's format. Prints for each text what is
counted here, divided by what the tokenizer counts, less 1; last for the median of the tokenizers.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from statistics import median

from memstore.beliefs.bites import tokens

ROOT = Path(__file__).parents[1]
LANGUAGES = Path(__file__).with_name("languages.toml")

Counter = Callable[[str], int]


def main(given: list[str]) -> None:
    """Print a line for each text."""
    models = [name for name in given if name.endswith(".json")]
    texts = {
        "English": _read(sorted((ROOT / "docs").rglob("*.md"))),
        "vault": _read(sorted((ROOT / "sample-vault").rglob("*.md"))),
        "code": _read(sorted((ROOT / "memstore").rglob("*.py"))),
        **{name: [text] for name, text in tomllib.loads(LANGUAGES.read_text(encoding="utf-8")).items()},
        **{Path(name).name: _read([Path(name)]) for name in given if name not in models},
    }
    counters = _counters(models)
    for name, files in texts.items():
        counted = sum(map(tokens, files))
        real = {model: sum(map(count, files)) for model, count in counters.items()}
        real["median"] = round(median(real.values()))
        errors = "  ".join(f"{model} {counted / number - 1:+.1%}" for model, number in real.items())
        print(f"{name:<10} {counted:>8,}  {errors}")


def _read(paths: list[Path]) -> list[str]:
    return [text for path in paths if (text := path.read_text(encoding="utf-8"))]


def _counters(models: list[str]) -> dict[str, Counter]:
    import quicktok

    tables = "cl100k_base", "o200k_base", "llama3", "qwen3"
    own: dict[str, Counter] = {name: quicktok.get_encoding(name).count for name in tables}
    return own | {Path(path).parent.name: _word_pieces(path) for path in models}


def _word_pieces(path: str) -> Counter:
    from tokenizers import Tokenizer

    model = Tokenizer.from_file(path)
    model.no_padding()
    model.no_truncation()
    return lambda text: len(model.encode(text, add_special_tokens=False).ids)


if __name__ == "__main__":
    main(sys.argv[1:])
