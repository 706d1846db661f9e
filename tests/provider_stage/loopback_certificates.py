"""Certificates of a throw-away authority, so that TLS on loopback is checked like TLS anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, kw_only=True)
class LoopbackCertificates:
    """`authority` is what a client must trust (PEM); `chain` holds the server's key and certificate (PEM)."""

    authority: Path
    chain: Path


def write_certificates(folder: Path, *, hosts: Sequence[str]) -> LoopbackCertificates:
    """Create an authority and one certificate that is good for `hosts`, for a day."""
    authority_key, host_key = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Searchlight test authority")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    authority = (
        _start_certificate(issuer, issuer, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
    leaf = (
        _start_certificate(subject, issuer, host_key)
        .add_extension(names, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    written = LoopbackCertificates(authority=folder / "authority.pem", chain=folder / "chain.pem")
    written.authority.write_bytes(_encode(authority))
    written.chain.write_bytes(_encode_key(host_key) + _encode(leaf))
    return written


def _start_certificate(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
    )


def _encode(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _encode_key(key: EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
