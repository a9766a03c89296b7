"""Use cases: one module per noun, each with typed functions from a request to a document.

The only package of the application that a face imports. A query reads; a command changes something
and is carried out by the one writer. Import the modules by name: a command line loads one or two of
them.
"""
