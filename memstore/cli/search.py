"""`memstore search`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.filters import filter_options, say_near_keys
from memstore.cli.group import Command
from memstore.cli.options import NAME, OTHER_WORDS, WholeNumber, also_option, at_option, several
from memstore.core.config import QUALITY_PROFILES
from memstore.core.keys import QUARANTINED
from memstore.core.memory import OWN_VAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.memories.search import Wish
    from memstore.search.filters import Which
    from memstore.search.matching import Matcher
    from memstore.search.retrieval import Answer, Hit

LONGEST_EXCERPT = 160
LINE_END = "\n"
SORTS = ("relevance", "quality", "created", "confidence", "title", "path")


class _SearchCommand(Command):
    """Takes `-park` for a word that must not be there: the parser would read it as the options -p, -a, -r and -k."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Mark the words that begin with a dash and are neither options nor the value of one."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option) and not param.is_flag]
        takes_next = {name for option in options for name in option.opts}
        end = args.index("--") if "--" in args else len(args)
        words = [
            _NOT + arg[1:] if _is_unwanted_word(arg) and before not in takes_next else arg
            for before, arg in zip(["", *args], args[:end], strict=False)
        ]
        words = [
            # Before the query, what follows is a word of it and no memory to explain.
            "--explain=" if arg == "--explain" and not _has_query(words[:at], takes_next) else arg
            for at, arg in enumerate(words)
        ]
        return super().parse_args(ctx, words + args[end:])


def _has_query(args: Sequence[str], takes_next: Collection[str]) -> bool:
    """Whether there is a word of the query among arguments, or a file of queries."""
    return any(
        arg.startswith("--queries") or not (arg.startswith("-") or before in takes_next)
        for before, arg in zip(["", *args], args, strict=False)
    )


# No argument of a process holds it.
_NOT = "\0"


def _is_unwanted_word(arg: str) -> bool:
    """Whether an argument that begins with one dash is a word of the query; -n, -n5, -tnote and -qv are options."""
    from memstore.core.ids import MEMORY_TYPES

    letter, rest = arg[1:2], arg[2:]
    if arg[:1] != "-" or letter == "-" or not rest:
        return False
    is_option = {"n": rest.isdecimal(), "t": rest in MEMORY_TYPES, "q": rest == "v", "v": rest == "q"}
    return not is_option.get(letter, False)


@click.command(
    "search",
    cls=_SearchCommand,
    examples=(
        "memstore search what did the vet say about Bella",
        "memstore search 'heart +bella -park \"grade two\"'   # must, must not, phrase",
        "memstore search 'diet tag:dog' -t note --since 6mo",
        'memstore search is there a cure --also recovered --also "on the mend"   # other words that it may be said in',
        "memstore search --queries questions.txt --jsonl    # one question a line",
        "memstore search bella heart --explain m_7f3    # why is m_7f3 not among the results?",
        'memstore search --bisect "how hot should green tea be"   # since when the best hit is what it is',
        'memstore search --bisect "green tea" --ref m_7f3         # since when m_7f3 is found by it, or no longer is',
        "memstore search --bisect --ref m_7f3                     # since when it says what it says, or is gone",
    ),
)
@click.argument("query", nargs=-1)
@filter_options
@at_option()
@also_option()
@click.option(
    "-n",
    "--limit",
    type=WholeNumber(min=1),
    metavar="N",
    default=10,
    show_default=True,
    help="At most so many results.",
)
@click.option(
    "--by", type=click.Choice(["memory", "passage"]), default="memory", show_default=True, help="What a result is."
)
@click.option("--sort", type=click.Choice(SORTS), default="relevance", show_default=True, help="What stands first.")
@click.option(
    "--profile", type=click.Choice(QUALITY_PROFILES), help="How quality is computed, whatever the settings say."
)
@click.option("--facets", multiple=True, metavar="KEY", help="Count the matching memories by this key.")
@click.option("--queries", metavar="FILE", help="Queries, one a line; - is stdin.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 when nothing is found.")
@click.option(
    "--explain",
    is_flag=False,
    flag_value="",
    metavar="[REF]",
    help="Show what each score is made of; after the query, also why REF is not among the results.",
)
@click.option(
    "--bisect",
    is_flag=True,
    help="Find the commit that made the best hit, or what --ref names, what it is; no file is changed.",
)
@several("--ref", "refs", type=NAME, metavar="REF…", help="With --bisect: ask about these memories.")
@click.pass_obj
def search(
    session: CliSession,
    /,
    query: tuple[str, ...],
    queries: str | None,
    also: tuple[str, ...],
    *,
    exit_code: bool,
    bisect: bool,
    refs: tuple[str, ...],
    **how: Any,
) -> None:
    """Find memories by words, best first, with the matching lines."""
    from memstore.core.errors import Exit, UsageError

    if refs and not bisect:
        raise UsageError("--ref goes with --bisect", hint="memstore search --bisect --ref REF")
    if also and (bisect or queries):
        raise UsageError("--also goes with one query", hint="memstore search WORDS --also WORD --also WORD")
    if bisect:
        from memstore.cli.bisect import show_change

        show_change(session, " ".join(query).replace(_NOT, "-") or None, refs)
        return
    if bool(query) == bool(queries):
        raise UsageError(
            "give a query, or --queries FILE", hint="memstore search WORDS; `memstore help query` explains more"
        )
    if queries:
        _search_all(session, _lines_of(session, queries), **how)
        return
    answer = _search_one(session, " ".join(query).replace(_NOT, "-"), also, **how)
    if exit_code and not answer.hits:
        session.exit(Exit.FOUND_ERRORS)


def _search_one(
    session: CliSession,
    text: str,
    also: Sequence[str],
    *,
    given: Which,
    at: str | None,
    explain: str | None,
    **how: Any,
) -> Answer:
    from memstore.memories.search import search as find

    view = session.view()
    wish = _wish(given, session, explain=explain, **how)
    answer = find(view, text, wish, also=also, at=at, about=explain or None)

    session.emit("search", answer, lambda: _lines(session, answer), verbatim=True)
    _explain(session, answer)
    if not answer.hits:
        say_near_keys(session, given)
    return answer


def _search_all(
    session: CliSession, queries: Iterator[str], *, given: Which, at: str | None, explain: str | None, **how: Any
) -> None:
    """Answer a query a line; one that means nothing has no results, and says why in its document."""
    from memstore.cli import output
    from memstore.cli.main import stay
    from memstore.memories.search import Searcher

    stay()
    searcher = Searcher(session.view().at(at))
    wish = _wish(given, session, explain=explain, **how)
    # At once: who asks a query at a time waits for each answer.
    output.write_lines(
        (
            line
            for text in queries
            for line in _answer_lines(session, searcher, text.rstrip("\r\n"), wish, about=explain or None)
        ),
        at_once=True,
    )


def _lines_of(session: CliSession, file: str) -> Iterator[str]:
    """Return the lines of a file; those of standard input as they come."""
    import sys

    if file == "-" and sys.stdin is not None:
        return iter(sys.stdin)
    from memstore.cli.add import utf8

    return iter(utf8(session.bytes_of(file)).splitlines())


def _answer_lines(session: CliSession, searcher: Any, text: str, wish: Wish, *, about: str | None) -> Iterator[str]:
    from memstore.cli import output
    from memstore.core.errors import UsageError
    from memstore.documents.form import published
    from memstore.documents.search import answer_document, refused_document
    from memstore.search import query as language
    from memstore.search.clauses import Query
    from memstore.search.retrieval import Answer

    error = None
    try:
        answer = searcher.answer(language.parse(text), wish, about=about)
    except UsageError as found:
        answer, error = Answer(query=Query(text=text)), found
    if session.as_json:
        document = refused_document(answer, error=error) if error else answer_document(answer)
        yield output.one_line(published("search", document))
        return
    yield session.paint("heading", f"==> {output.safe_line(text)}")
    if error:
        session.say(f"memstore: {output.safe_line(str(error))}")
    yield from _lines(session, answer)


def _wish(
    given: Which,
    session: CliSession,
    *,
    limit: int,
    by: str,
    sort: str,
    profile: str | None,
    facets: Sequence[str],
    explain: str | None,
) -> Wish:
    from memstore.core.config import QualityProfile
    from memstore.memories.search import Wish
    from memstore.search.filters import filters_of
    from memstore.search.retrieval import Sort, Unit

    return Wish(
        filters=filters_of(given, now=session.view().clock.here()),
        limit=limit,
        by=Unit(by),
        sort=Sort(sort),
        facets=tuple(dict.fromkeys(facets)),
        profile=QualityProfile(profile) if profile else None,
        explain=explain is not None,
    )


# -- text ----------------------------------------------------------------------------------------


def _lines(session: CliSession, answer: Answer) -> Iterator[str]:
    from memstore.search.matching import matcher_of

    matchers = {language: matcher_of(answer.query, language) for language in {hit.language for hit in answer.hits}}
    for place, hit in enumerate(answer.hits):
        if session.at_terminal:
            yield from ("",) if place else ()
            yield from _hit_lines(session, hit, matchers[hit.language])
        else:
            yield _hit_line(session, hit, matchers[hit.language])
        if hit.explanation:
            from memstore.cli.explanation import explained

            yield from explained(hit, hit.explanation)
    for key, counts in answer.facets:
        yield session.paint("heading", f"{key}:")
        for value, count in counts:
            yield f"  {count:6}  {_safe(value)}"
    if answer.why_not:
        from memstore.cli.explanation import why_not

        yield from why_not(session, answer.why_not)


_FENCES = ("---", "+++")


def _hit_line(session: CliSession, hit: Hit, matcher: Matcher) -> str:
    """Return one line: where, what it says there, and in brackets how it is known."""
    number, line = best_line(hit, matcher)
    is_name = line.rstrip() in _FENCES  # no line says what the file is called
    said = _marked(session, hit.content if is_name else line, matcher, _clean(hit))
    if (is_name or line.startswith("title:")) and hit.more:  # what the memory says that is about it
        said += f" — {_marked(session, _first_line(hit.more[0].excerpt), matcher, _clean(hit))}"
    return f"{session.paint.place(hit.path, number)}: {_framed(hit, said)} {_about(session, hit)}"


def _hit_lines(session: CliSession, hit: Hit, matcher: Matcher) -> Iterator[str]:
    """Yield a result for a terminal: its title, where it is and how it is known, and what it says there.

    What only repeats the title is left out, for what the memory says about it.
    """
    from memstore.cli.output import room
    from memstore.core.columns import columns, wrapped
    from memstore.core.quotation import shown_title
    from memstore.core.titles import default_title

    first, _, below = hit.citation.excerpt.partition("\n")
    is_below = bool(below.strip()) and hit.title == default_title(first)
    number, line = best_line(hit, matcher, first=1 if is_below else 0)
    titles = (line.rstrip(), default_title(line.removeprefix("title:")), hit.content.strip())
    repeats = line.rstrip() in _FENCES or hit.title in titles
    if repeats:
        line = _first_line(hit.more[0].excerpt) if hit.more else ""
    place, about = session.paint.place(hit.path, number), _about(session, hit)
    title = _safe(shown_title(hit.title, hit.source_type)) or _safe(hit.path)
    yield from (session.paint("title", part) for part in wrapped(title, room()))
    if columns(place) + 1 + columns(about) <= room():
        yield f"{place} {about}"
    else:
        yield place
        yield from wrapped(about, room())
    if line.strip():
        yield from wrapped(_framed(hit, _marked(session, line, matcher, _clean(hit))), room())


def _first_line(text: str) -> str:
    return text.strip().partition(LINE_END)[0]


def _framed(hit: Hit, said: str) -> str:
    """Return what a hit says, as a quotation if it is external."""
    if hit.external is None:
        return said
    from memstore.core.quotation import NOTICE

    return f'[{NOTICE} ({hit.external.origin})] "{said}"'


def _about(session: CliSession, hit: Hit) -> str:
    """Return in brackets how a hit is known."""
    paint = session.paint
    # The number that `list` and `show` call confidence; the quality, which JSON has, is another one.
    held = f"confidence {hit.held_confidence:.2f}" if hit.held_confidence is not None else ""
    vouched = hit.trust_level if hit.trust_level != "unverified" else ""
    stale = "stale" if hit.is_stale else ""
    status = hit.status if hit.status == QUARANTINED else ""
    stack = hit.stack if hit.stack in (None, OWN_VAULT) else f"stack {hit.stack}"
    other_words = "by other words" if hit.by_also else ""
    words = (stack or "", hit.type, session.day_of(hit.created_at), held, vouched, stale, status, other_words)
    about = " · ".join(word for word in words if word)
    conflicts = "".join(
        f" · {paint('warning', conflict.conflict_type.value)} with {paint('ref', conflict.refs[1])}"
        for conflict in hit.conflicts
    )
    also = f" · the same in {', '.join(map(_safe, hit.also))}" if hit.also else ""
    return f"{paint('dim', f'[{about}')}{conflicts}{paint('dim', f'{also}]')}"


def _clean(hit: Hit) -> Callable[[str], str]:
    """Return what makes a part of a hit's text harmless: on a terminal, and within quotes if it is external."""
    if hit.external is None:
        return _safe
    from memstore.core.quotation import harmless

    return harmless


def best_line(hit: Hit, matcher: Matcher, *, first: int = 0) -> tuple[int, str]:
    """Return the cited line that says most of what was asked for, with its number; of those from the `first` on."""
    lines = hit.citation.excerpt.split("\n")
    if len(lines) == 1:  # it may be megabytes long
        return hit.citation.line_start, lines[0]
    best = max(range(first, len(lines)), key=lambda at: (len(matcher.spans(lines[at])), bool(lines[at].strip()), -at))
    return hit.citation.line_start + best, lines[best]


def _marked(session: CliSession, line: str, matcher: Matcher, clean: Callable[[str], str]) -> str:
    """Return a line with the query's words marked, shortened around the first of them."""
    text = " ".join(line.split())
    spans = matcher.spans(text)
    start, end = _window(text, spans[0][0] if spans else 0)
    out, at = ["…" if start else ""], start
    for first, last in spans:
        if start <= first and last <= end:
            out += [clean(text[at:first]), session.paint("match", clean(text[first:last]))]
            at = last
    return "".join([*out, clean(text[at:end]), "…" if end < len(text) else ""])


def _window(text: str, at: int) -> tuple[int, int]:
    """Return the part of a long text around a place, cut between words where there are any."""
    if len(text) <= LONGEST_EXCERPT:
        return 0, len(text)
    start = max(0, min(at - LONGEST_EXCERPT // 3, len(text) - LONGEST_EXCERPT))
    end = min(len(text), start + LONGEST_EXCERPT)
    blank = text.find(" ", start, at) if start else -1
    start = blank + 1 if blank >= 0 else start
    blank = text.rfind(" ", at, end) if end < len(text) else -1
    return start, blank if blank > at else end


def _safe(text: str) -> str:
    from memstore.cli import output

    return output.safe_line(text)


def _explain(session: CliSession, answer: Answer) -> None:
    """Say on the side what the results alone don't tell."""
    for note in answer.query.notes:
        session.say(_safe(note))
    session.say_left_out(answer.left_out)
    if answer.not_compared:
        session.say(
            "conflicts among these results were looked for in the nearest lines only; memstore conflicts looks further"
        )
    if answer.past:
        session.say(f"{answer.past} left out: superseded, expired or archived; --status all shows them")
    if answer.external:
        session.say(f"{answer.external} more from outside rank below these; --source-type external shows them alone")
    if answer.fallback and answer.hits:
        session.say(_safe(answer.fallback))
    if not answer.hits:
        session.say(f"nothing found for: {_safe(answer.query.text)}")
    if answer.weak:
        session.say("no close match; these are the nearest")
    if answer.query.clauses and not answer.query.also and (answer.weak or not answer.hits):
        session.say(OTHER_WORDS)
    if answer.suggestion:
        session.say(f"did you mean: {_safe(answer.suggestion)}")
