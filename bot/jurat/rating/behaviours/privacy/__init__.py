"""How what tells who somebody is, is left out or hidden."""
