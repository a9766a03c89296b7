"""From an agenda to evidence: gather, screen, dedup, weigh, synthesise."""
