"""The harness that measures how safely a judge behaves, before anyone lets it gate a change."""
