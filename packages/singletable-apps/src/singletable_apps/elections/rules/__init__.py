"""The rules of elections, as pure functions; the time is an argument.

`names` cleans and checks names and addresses, `users` has roles and accounts, `elections` what
owners may do in which state and what is visible, `voting` who may vote and what a ballot may say.
"""
