"""What runs cost: tokens of agents and judges, calls to providers, and what planned runs will take."""
