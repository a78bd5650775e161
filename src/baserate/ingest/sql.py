"""Names and texts as SQL writes them."""


def text(value: str | None) -> str:
    """A text."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def name(column: str) -> str:
    """The name of a column."""
    return '"' + column.replace('"', '""') + '"'


def options(**values: object) -> str:
    """Options of a table function."""
    return "".join(f", {option} = {literal(value)}" for option, value in values.items())


def literal(value: object) -> str:
    """A value of any kind."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(key)}: {literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    return str(value) if isinstance(value, int) else text(str(value))
