"""From an agenda to evidence: gather, screen, deduplicate, weigh, synthesise."""
