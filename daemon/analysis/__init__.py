"""The link graph, the meaning graph, and the gaps that show in them."""
