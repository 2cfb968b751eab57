"""A page in a real browser, with everything that it said or asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MARKS = ".role-mark path, .role-mark rect, .role-mark image, .role-mark text"
DRAWN_MS = 60_000


class Opened:
    """A page in the browser, which has drawn its plots."""

    def __init__(
        self, browser: Any, file: Path, html: str, width: int = 1280, **options: Any
    ) -> None:
        file.write_text(html, encoding="utf-8")
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", self._on_dialog)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-drawn=yes]", timeout=DRAWN_MS)
        self.address = file.as_uri()

    def _on_console(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"{message.type}: {message.text}")

    def _on_dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def loaded(self) -> list[str]:
        """Addresses that were asked for, other than the file and data inside it."""
        return [url for url in self.requests if url != self.address and url[:5] != "data:"]

    def domain(self, chart: str, scale: str) -> list[float]:
        script = "([chart, scale]) => waywiserViews.get(chart).scale(scale).domain()"
        limits: list[float] = self.page.evaluate(script, [chart, scale])
        return limits

    def press(self, chart: str, button: str) -> None:
        """Press a zoom button of a chart and wait until it is drawn again."""
        plot = self.page.locator("figure", has=self.page.locator(f"#{chart}"))
        plot.get_by_role("button", name=button).click()
        self.page.evaluate("async (chart) => { await waywiserViews.get(chart).runAsync(); }", chart)
