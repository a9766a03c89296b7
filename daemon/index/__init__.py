"""Turn notes into an index that can be searched by words and by embeddings."""
