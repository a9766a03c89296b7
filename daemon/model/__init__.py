"""Shared value types: gaps, agendas, evidence, findings, errors."""
