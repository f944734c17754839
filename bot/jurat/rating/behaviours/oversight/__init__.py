"""How people overrule, approve, halt and operate a system."""
