"""Pages of the documentation with what their shell examples show now."""

import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
SHELL = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)


def as_shown_now(page, folder):
    """The text of a page with each block of shell examples as it comes out in a folder."""
    settings = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def shown(block):
        text = ""
        for command in re.findall(r"^\$ (.*)$", block.group(), flags=re.MULTILINE):
            done = subprocess.run(
                ["bash", "-c", command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=settings,
                check=False,
                text=True,
                timeout=120,
            )
            text += f"$ {command}\n{done.stdout}"
        return text

    return SHELL.sub(shown, page)
