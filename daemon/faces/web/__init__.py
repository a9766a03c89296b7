"""The web server: a page, a REST interface and events, on this machine only."""
