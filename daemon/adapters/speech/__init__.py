"""Speech on this machine: engines, sound files and their tags, in a confined child process."""
