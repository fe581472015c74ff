"""The names and addresses by which this machine can be reached."""

import errno
import socket
import sys
from contextlib import closing

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::", "[::]")  # noqa: S104 - compared with, never bound to

# One address in each range that a home, an office or the Internet uses. Connecting a datagram
# socket sends nothing; it only makes the system choose the address it would send from.
_FAR_IPV4 = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254")


def is_loopback(host: str) -> bool:
    """Whether a server bound to ``host`` is reachable from this machine only."""
    return host in ("localhost", "::1", "[::1]") or host.startswith("127.")


def lan_addresses() -> list[str]:
    """This machine's own IPv4 addresses apart from loopback, the most general one first."""
    found = dict.fromkeys(_source_address(far) for far in _FAR_IPV4)
    return [address for address in found if address and not is_loopback(address)]


def reachable_hosts(bound: str) -> list[str]:
    """Every Host header that fits a server bound to ``bound``: loopback, and what it opens up."""
    if is_loopback(bound):
        return [*LOOPBACK_HOSTS]
    name = socket.gethostname().lower()
    names = [name] if name.endswith(".local") else [name, f"{name}.local"]
    own = lan_addresses() if bound in ANY_ADDRESS else [bound]
    return [*LOOPBACK_HOSTS, *own, *names]


def page_urls(bound: str, port: int) -> list[str]:
    """Where a browser finds a server bound to ``bound``; one on the local network comes first."""
    if bound not in ANY_ADDRESS:
        return [_url(bound, port)]
    return [_url(host, port) for host in (*lan_addresses(), "127.0.0.1")]


def check_free(host: str, port: int) -> None:
    """Raise the OSError that a server would meet when it bound to ``host`` and ``port``."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        if sys.platform != "win32":  # as the server does; on Windows it would share a busy port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host.strip("[]"), port))


def why_not(host: str, port: int, error: OSError) -> str:
    """What a person can do about ``error``, met when binding to ``host`` and ``port``."""
    match error.errno:
        case errno.EADDRINUSE:
            return f"Port {port} on {host} is already in use. Choose another one with --port."
        case errno.EACCES:
            return f"You may not use port {port}. Choose one above 1023 with --port."
        case _:
            return f"The server can't listen on {host}, port {port}: {error}."


def _url(host: str, port: int) -> str:
    bare = host.strip("[]")
    return f"http://[{bare}]:{port}/" if ":" in bare else f"http://{bare}:{port}/"


def _source_address(far: str) -> str:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect((far, 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])
