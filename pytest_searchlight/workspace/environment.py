"""What of the user's environment an agent may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ALLOWED_VARIABLES: Final = frozenset(
    {
        # finding programs, speaking the user's language
        "PATH", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL",
        # trusting the certificates that the machine trusts
        "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
        # The way out of a closed network. Without it no agent reaches its model there, and it is the same
        # way for every setup, so it favours none.
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
        "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    }
)  # fmt: skip
"""Variables that pass, with every ``LC_*``. Keys never do: whoever needs one is given it by name."""


def allowed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The allow-listed part of `environment`."""
    return {
        name: value
        for name, value in environment.items()
        if name in ALLOWED_VARIABLES or name.startswith("LC_")
    }
