"""Fixes, applied in memory and checked again before anybody is offered one."""
