"""Agents for the Connect family and Connect Four: compositions of policies, and the strongest that there is.

Start at named.py for compositions, at strong.py for the strongest. It imports ponderosa.agents, ponderosa.connect.
"""
