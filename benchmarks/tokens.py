"""How near the tokens that `recall` counts come to those of language models.

    pip install bpe-openai tokenizers
    python benchmarks/tokens.py [TOKENIZER.json] [TEXT...]

Counts English (the documentation), code (the package itself), German and Chinese (notes, below), and each TEXT, a file.
Compared are cl100k and o200k (by bpe-openai, which brings their tables along), and a tokenizer of Hugging Face's
format. Prints for each text what is counted here, divided by what the tokenizer counts, less 1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memstore.beliefs.bites import tokens

ROOT = Path(__file__).parents[1]
GERMAN = """\
Bella frisst seit Montag nur noch morgens, abends lässt sie den Napf stehen. Die Tierärztin hat das Herz
abgehört und ein leises Geräusch auf der linken Seite bemerkt; in sechs Wochen soll sie wiederkommen. Der
Schlüssel für den Schuppen hängt jetzt hinter der Werkstatttür, nicht mehr am Haken im Flur. Claire trinkt
grünen Tee, aber nie nach vier Uhr nachmittags, weil sie sonst schlecht schläft. Das Treffen mit der
Hausverwaltung wurde auf den 14. September um 16:30 Uhr verschoben. Die Heizung im Gästezimmer macht beim
Anlaufen ein klopfendes Geräusch; der Installateur meint, es sei nur Luft in der Leitung. Für die
Steuererklärung fehlen noch die Bescheinigungen der Krankenversicherung und die Rechnung des
Schornsteinfegers. Wir haben beschlossen, die Datenbank erst nach dem Umzug zu aktualisieren, damit im Notfall
der alte Rechner noch läuft. Sean findet, dass Wahrheit selten eindeutig ist, und fragt deshalb immer zwei
Leute.
"""
CHINESE = """\
贝拉从星期一开始只在早上吃东西，晚上碗里的饭一口也不动。兽医听了她的心脏，说左边有轻微的杂音，六个星期以\
后要再去检查一次。车库的钥匙现在挂在工作间的门后面，不再放在走廊的钩子上了。克莱尔喜欢喝绿茶，可是下午四\
点以后从来不喝，因为她会睡不着。和物业公司的会议改到九月十四日下午四点半。客房的暖气启动的时候有敲打的声\
音，师傅说只是管道里有空气。报税还缺医疗保险的证明和清洁烟囱的发票。我们决定搬家以后再升级数据库，这样万\
一出了问题，旧电脑还可以用。肖恩认为真相很少是非黑即白的，所以他总是问两个人。
"""

Counter = Callable[[str], int]


def main(given: list[str]) -> None:
    """Print a line for each text."""
    models = [name for name in given if name.endswith(".json")]
    texts = {
        "English": _read(sorted((ROOT / "docs").rglob("*.md"))),
        "code": _read(sorted((ROOT / "memstore").rglob("*.py"))),
        "German": [GERMAN],
        "Chinese": [CHINESE],
        **{Path(name).name: _read([Path(name)]) for name in given if name not in models},
    }
    counters = _counters(models)
    for name, files in texts.items():
        counted = sum(map(tokens, files))
        real = {model: sum(map(count, files)) for model, count in counters.items()}
        real["mean of both"] = (real["cl100k_base"] + real["o200k_base"]) // 2
        errors = "  ".join(f"{model} {counted / number - 1:+.1%}" for model, number in real.items())
        print(f"{name:<10} {counted:>8,}  {errors}")


def _read(paths: list[Path]) -> list[str]:
    return [text for path in paths if (text := path.read_text(encoding="utf-8"))]


def _counters(models: list[str]) -> dict[str, Counter]:
    import bpe_openai

    return {name: _bpe(bpe_openai.get_encoding(name)) for name in ("cl100k_base", "o200k_base")} | {
        Path(path).parent.name: _word_pieces(path) for path in models
    }


def _bpe(encoding: Any) -> Counter:
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _word_pieces(path: str) -> Counter:
    from tokenizers import Tokenizer

    model = Tokenizer.from_file(path)
    model.no_padding()
    model.no_truncation()
    return lambda text: len(model.encode(text, add_special_tokens=False).ids)


if __name__ == "__main__":
    main(sys.argv[1:])
