"""The page in the browser, and the API beside it. Start at server.py; session.py is a game without any picture."""
