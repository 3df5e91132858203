"""The phases of the search: a package each for select, expand, playout, backup and choose.

Start at base.py: what a policy is. registry.py finds policies by name, composition.py makes them of what people say,
fitting.py says what goes with which class of games. It imports ponderosa.mcts.tree.node, and ponderosa.core.
"""
