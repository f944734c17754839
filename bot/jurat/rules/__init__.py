"""What must hold: rules, packs and configuration, loaded strictly, and which of them apply."""
