"""Threads and what is said in them, and the page that shows them."""
