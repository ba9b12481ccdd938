"""What is wrong with the catalog's own data: ours to mend, never shown as a user's mistake."""


class CatalogError(Exception):
    """A data file that cannot be used; the message names file, row, value and remedy."""

    def __init__(self, file: str, row: int | None, problem: str, remedy: str) -> None:
        self.file = file
        self.row = row
        self.problem = problem
        self.remedy = remedy
        where = file if row is None else f"{file} row {row}"
        super().__init__(f"{where}: {problem}; {remedy}")
