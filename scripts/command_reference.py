"""The page of the site that lists all commands with their options, from the commands themselves."""

from collections.abc import Iterator

import click

from tetrisprinter.cli import _SHOW_ALL, SECTIONS, find_command


def make_command_reference() -> str:
    """Return the page in Markdown: each command's help, under the headings of the root's help."""
    lines = ["# Commands", ""]
    for heading, commands in SECTIONS.items():
        lines += [f"## {heading}", ""]
        for name in commands:
            for path, help_text in _iterate_helps(find_command([name]), name):
                lines += [f"### {path}", "", "```text", help_text, "```", ""]
    return "\n".join(lines)


def _iterate_helps(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the complete help of a command and of the commands in it."""
    context = click.Context(
        command,
        info_name=f"tetrisprinter {path}",
        max_content_width=80,  # what the text column of the site shows without scrolling
        terminal_width=80,
        help_option_names=["-h", "--help"],
    )
    context.meta[_SHOW_ALL] = True
    yield path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            yield from _iterate_helps(subcommand, f"{path} {name}")
