"""Signatures over raw bytes: a fast scan for literals, then exact captures around the hits."""
