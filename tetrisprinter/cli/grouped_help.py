"""Help in two lengths: ``--help`` lists the usual options, ``--help-all`` all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import click

SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "Text": ("font", "size", "color"),
    "What is written": ("outputs", "output", "plans", "preview", "poster", "link"),
    "The picture": ("fit", "colors", "background", "exact"),
    "The game": ("place", "board", "begun", "effort", "time_limit"),
    "How it looks": ("style", "seconds", "scale"),
    "Report": ("verbose", "quiet", "as_json", "help", "_click_default_help", "all_help"),
}
"""The headings of ``--help``, and the parameters under each."""

_MORE: Final = "More, rarely needed"


class GroupedCommand(click.Command):
    """A command with a short ``--help`` and a complete ``--help-all``."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Add ``--help-all``."""
        return [*super().get_params(ctx), _HELP_ALL]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        options = {
            parameter.name: parameter
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option) and not parameter.hidden
        }
        for heading, names in SECTIONS.items():
            _write_section(ctx, formatter, heading, [options.pop(n) for n in names if n in options])
        if ctx.meta.get(_SHOW_ALL):
            _write_section(ctx, formatter, _MORE, list(options.values()))
        elif options:
            with formatter.indentation():
                formatter.write_paragraph()
                formatter.write_text(f"--help-all shows {len(options)} more.")


class LazyHelpOption(click.Option):
    """An option whose help takes long to compute, so it is computed when it is shown."""

    def __init__(self, *args: Any, make_help: Callable[[], str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._make_help = make_help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Compute the help and return it."""
        self.help = self._make_help()
        return super().get_help_record(ctx)


_SHOW_ALL: Final = "tetrisprinter.help_all"


def _write_section(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    heading: str,
    options: Sequence[click.Parameter],
) -> None:
    """Write one heading with its options."""
    records = [record for one in options if (record := one.get_help_record(ctx)) is not None]
    if records:
        with formatter.section(heading):
            formatter.write_dl(records)


def _show_all(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_SHOW_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL: Final = click.Option(
    ["--help-all", "all_help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all options and exit.",
)
