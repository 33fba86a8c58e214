"""The error for inputs that can't be read."""


class InputError(Exception):
    """An input can't be read. Its text is one clear line for the user."""
