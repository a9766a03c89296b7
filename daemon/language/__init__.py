"""Languages: words of every script, stems, stop words, and which language a text is in."""
