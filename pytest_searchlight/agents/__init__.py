"""Agents: coding-agent products behind adapters, one module each."""
