"""What every app needs to be served by a command; each file is imported by whoever needs it.

- `with listening(Listening(host, port, …)) as (listener, url, public)` has a socket, its address,
  and the one that people use; what cannot be is a ListeningRefused.
- `public.settings(body_limit=…, uploads=…)` are settings for `make_app`.
- `run(app, listener)` serves until a signal asks to stop.
- `with driver_at("file:data/polls.db") as driver` makes the folder of a file.
- `with drafted(folder) as draft` fills a new folder, whole or not at all.
- `with bar("Filling") as told` shows how much is done.
- `tell_where(url, api, places)` says where everything is.
- REFUSALS end a command with their words.
"""
