"""A keyring in a dictionary, or one that fails as the real ones do."""


class FakeKeyring:
    """As much of the `keyring` module as is used; `trouble` is raised by whatever is called."""

    def __init__(self, trouble: Exception | None = None) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.trouble = trouble

    def get_password(self, service_name: str, username: str) -> str | None:
        self._fail()
        return self.kept.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self._fail()
        self.kept[service_name, username] = password

    def delete_password(self, service_name: str, username: str) -> None:
        self._fail()
        del self.kept[service_name, username]

    def _fail(self) -> None:
        if self.trouble is not None:
            raise self.trouble
