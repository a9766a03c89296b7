"""The link graph, the similarity graph, and the gaps in them."""
