"""``python -m baserate`` is the command ``baserate``.

An interrupt is answered as there, once the package has been loaded, which Python does before the first line here.
"""

from baserate_command import main

if __name__ == "__main__":
    main()
