"""The only room that writes into the vault: findings, agendas, digests and what follows them."""
