"""The views of the page: each draws what the model says, and passes on what people do.

Start at play_view.py; layout.py is what every view has. It imports ponderosa.web.model and ponderosa.web.drawing.
"""
