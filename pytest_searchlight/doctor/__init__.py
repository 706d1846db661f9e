"""`sew doctor`: what can run here, asked of the machine and, on demand, of agents and providers."""
