"""Finishes the generated pages: a strict security policy, no external resources, checked links."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

POLICY = (
    "default-src 'none'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"
)
_INLINE = re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)
# On a page opened as a file, the search needs a substitute for web workers, which the theme loads from a server.
_SHIM = re.compile(r"https://unpkg\.com/iframe-worker/shim")
_EXTERNAL = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"[^>]*>")
_REFERENCE = re.compile(r"<\w[^<>]*?\s(?:href|src)=\"([^\"]+)\"")
_HEAD = "<head>"


def finish(site: Path) -> list[str]:
    """Change all pages in `site`; return the problems: broken links and external resources."""
    pages = sorted(site.rglob("*.html"))
    problems: list[str] = []
    anchors: dict[Path, set[str]] = {}
    for page in pages:
        text = page.read_text("utf-8")
        up = "/" if page.name == "404.html" else "../" * (len(page.relative_to(site).parts) - 1)
        text = _SHIM.sub(f"{up}assets/worker.js", text)
        text = text.replace(_HEAD, f'{_HEAD}\n<meta http-equiv="Content-Security-Policy" content="{policy(text)}">', 1)
        page.write_text(text, "utf-8")
        anchors[page] = set(re.findall(r"\s(?:id|name)=\"([^\"]+)\"", text))
        problems += [f"{page.relative_to(site)}: {found}" for found in _EXTERNAL.findall(text)]
    for page in pages:
        problems += [f"{page.relative_to(site)}: {link}" for link in _broken(site, page, anchors)]
    return problems


def policy(page: str) -> str:
    """Return the policy for a page: its own files, and its inline scripts by checksum."""
    hashes = dict.fromkeys(
        "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"
        for script in _INLINE.findall(page)
    )
    return POLICY.format(scripts=" ".join(hashes))


def _broken(site: Path, page: Path, anchors: dict[Path, set[str]]) -> Iterator[str]:
    for link in dict.fromkeys(_REFERENCE.findall(page.read_text("utf-8"))):
        parts = urlsplit(unescape(link))
        if parts.scheme or parts.netloc or page.name == "404.html":
            continue
        path = unquote(parts.path)
        target = page if not path else site / path.lstrip("/") if path.startswith("/") else (page.parent / path)
        target = target.resolve()
        if target.is_dir():
            target /= "index.html"
        known = anchors.get(target)
        if not target.exists() or (parts.fragment and known is not None and unquote(parts.fragment) not in known):
            yield link
