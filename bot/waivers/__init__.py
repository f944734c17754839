"""Why a finding does not count: a person dismissed or confirmed it, or the code suppresses it."""
