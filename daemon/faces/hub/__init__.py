"""The hub over HTTPS, for vaults on other machines."""
