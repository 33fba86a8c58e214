"""Turns an incident and rules into ranked causes, ranks at fault, and consequences."""
