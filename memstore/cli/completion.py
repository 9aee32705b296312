"""`memstore completion`, and the shell's completions for the name of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command

if TYPE_CHECKING:
    from memstore.cli.session import CliSession


@command(
    "completion",
    examples=(
        'eval "$(memstore completion bash)"      # in ~/.bashrc',
        'eval "$(memstore completion zsh)"       # in ~/.zshrc, after compinit',
        "memstore completion fish | source       # in ~/.config/fish/config.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(session: CliSession, shell: str) -> None:
    """Print the script that lets a shell complete commands, options, types and refs."""
    script = _script(shell)
    session.emit("completion", None, lambda: (script,), shell=shell, script=script, verbatim=True)


def _script(shell: str) -> str:
    from click.shell_completion import get_completion_class

    from memstore.cli.group import PROGRAM
    from memstore.cli.main import COMPLETION_VARIABLE

    if shell == "bash":
        return _BASH.replace("COMPLETION_VARIABLE", COMPLETION_VARIABLE)
    made = get_completion_class(shell)
    assert made is not None  # noqa: S101 - the choice above names click's own shells
    return made(PROGRAM, {}, "memstore", COMPLETION_VARIABLE).source()


# click's own script takes words as bash splits them, at colons too, and therefore completes no ref.
_BASH = r"""\
_memstore_completion() {
    local IFS=$'\n' words=() word answer type value before
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        # `note:m_7f3` is three words to bash, and one to memstore.
        if [[ ${#words[@]} -gt 1 && ( $word == :* || ${words[-1]} == *: ) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    # What stands before the last colon is there already, where bash parts words at colons.
    before=${words[-1]%"${words[-1]##*:}"}
    [[ $COMP_WORDBREAKS == *:* ]] || before=
    COMPREPLY=()
    for answer in $(COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]}-1)) COMPLETION_VARIABLE=bash_complete "$1"); do
        IFS=, read -r type value <<< "$answer"
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                value=${value#"$before"}
                # A title has blanks: they are quoted, unless a quote is open already.
                [[ $2 == [\"\']* || $value != *[[:blank:]\[\]]* ]] || printf -v value %q "$value"
                COMPREPLY+=("$value") ;;
        esac
    done
}

complete -o nosort -F _memstore_completion memstore
"""
