"""Test runs as pytest items: how they are collected, and how one passes through its phases."""
