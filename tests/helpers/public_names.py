"""Every public name, with what it stands for."""

import inspect

import baserate as br

ROOMS = [name for name in br.__all__ if inspect.ismodule(getattr(br, name)) and hasattr(getattr(br, name), "__all__")]


def public_things(rooms=ROOMS):
    """Names at the door, then those of the rooms behind it; one that is in both is at the door."""
    yield from ((name, getattr(br, name)) for name in br.__all__)
    for room in rooms:
        for name in getattr(br, room).__all__:
            if name not in br.__all__:
                yield f"{room}.{name}", getattr(getattr(br, room), name)
