"""Networks that judge positions: what one is, those that come with the package, and the file of a trained one.

Start at network.py, the contract; residual.py has the networks, written once over operations.py, so that training (JAX)
and playing (ONNX) run the same description. Playing needs the extra `net`, training the extra `learn`: each is imported
where it is used. It imports ponderosa.core and what is below it.
"""
