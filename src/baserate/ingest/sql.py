"""Names and values as SQL."""


def text(value: str | None) -> str:
    """A text as an SQL literal."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def name(column: str) -> str:
    """The name of a column as an SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


def options(**values: object) -> str:
    """Options of a table function as SQL."""
    return "".join(f", {option} = {literal(value)}" for option, value in values.items())


def literal(value: object) -> str:
    """A value as an SQL literal."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(key)}: {literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    return str(value) if isinstance(value, int) else text(str(value))
