"""Answer questions from the vault and the library, with a citation for each statement."""
