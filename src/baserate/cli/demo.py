"""``baserate demo``: two models on a bundled example."""

import click

import baserate.demo

_EXAMPLES = """\b
Example:
  baserate demo
"""


@click.command(epilog=_EXAMPLES)
def demo() -> None:
    """Compare two bundled fraud models at four prevalences."""
    baserate.demo.main()
