"""What everything speaks of: gaps, agendas, evidence, findings, errors."""
