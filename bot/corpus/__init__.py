"""What must hold: rules and packs, loaded strictly from YAML."""
