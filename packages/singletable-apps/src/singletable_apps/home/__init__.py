"""The site: a home page, the guide, and every installed app behind one server.

`make_site_app([running_app, …])` returns the whole site as one ASGI app.
"""
