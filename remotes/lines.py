"""The lines to paste that connect a program from another terminal or computer."""

STARTER = "laptop.py"
"""The file of functions that the lines serve; the client writes it where it is missing."""


def posix_line(server: str, token: str) -> str:
    """The line for Linux and macOS: fetch the client, then serve :data:`STARTER`.

    Args:
        server: The server's address, without a slash at its end.
    """
    fetch = f"import urllib.request as u; u.urlretrieve('{server}/remotes.pyz', 'remotes.pyz')"
    serve = f"python3 remotes.pyz serve {STARTER} --server {server} --token {token}"
    return f'python3 -c "{fetch}" && {serve}'


def windows_line(server: str, token: str) -> str:
    """The same for Windows, as one command that cmd and every PowerShell take alike."""
    words = ["remotes.pyz", "serve", STARTER, "--server", server, "--token", token]
    quoted = ", ".join(f"'{word}'" for word in words)
    return (
        'py -c "import urllib.request as u, subprocess as s, sys; '
        f"u.urlretrieve('{server}/remotes.pyz', 'remotes.pyz'); "
        f'sys.exit(s.call([sys.executable, {quoted}]))"'
    )
