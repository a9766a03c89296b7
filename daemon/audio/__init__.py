"""Scripts for speech: what a note says, in words that can be read aloud."""
