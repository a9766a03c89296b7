"""From notes to something that can be searched by word and by meaning."""
