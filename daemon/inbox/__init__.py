"""The only package that writes into the vault: findings, agendas, digests and Lacuna's
other notes, and, on request, the plugin for Obsidian.
"""
