"""A language model's verdicts on the rules that must be judged."""
