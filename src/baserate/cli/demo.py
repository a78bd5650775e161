"""``baserate demo``: two models on a bundled example."""

import click

import baserate.demo

_EXAMPLES = """\b
Example:
  baserate demo
"""


@click.command(epilog=_EXAMPLES)
def demo() -> None:
    """Two fraud models on a bundled example, read at four prevalences."""
    baserate.demo.main()
