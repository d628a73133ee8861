"""The report in a real browser: names stay text, pictures are drawn, nothing leaves the machine."""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ogive
from ogive.curves import LearningCurves
from ogive.curves._metrics import definition
from ogive.report import write, write_curves

pytestmark = pytest.mark.slow

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
HOSTILE = "</script><img src=x onerror=\"window.planted=1;document.title='taken'\">"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=20000", "--window-size=1200,2400",
)  # fmt: skip
# Appended to the page by the test; the page's own policy must stop it from running.
PLANTED = "<script>document.title = 'taken';</script>"

if BROWSER is None:
    pytest.skip("no Chromium is installed (Debian: apt-get install chromium)", allow_module_level=True)


def browse(page: Path, folder: Path, *more: str) -> str:
    """The document after the scripts have run."""
    done = subprocess.run(
        [str(BROWSER), *FLAGS, f"--user-data-dir={folder / 'profile'}", *more, page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    rng = np.random.default_rng(0)
    samples = {HOSTILE: {HOSTILE: rng.normal(size=30), "t": rng.normal(size=30)}}
    samples["<b>bold</b>"] = {HOSTILE: np.append(rng.normal(size=28), [np.nan] * 2), "t": rng.normal(size=30)}
    samples["plain"] = {HOSTILE: rng.normal(size=30), "t": rng.normal(size=8)}
    return write(ogive.read(samples, unit="row", varied="seed"), tmp_path_factory.mktemp("page") / "report.html")


def requests(log: Path) -> set[str]:
    """Addresses off this machine that a page asked for; what the browser asks on its own account has no origin."""
    held = json.loads(log.read_text())
    kinds = {number: name for name, number in held["constants"]["logEventTypes"].items()}
    started = [e for e in held["events"] if kinds[e["type"]] == "URL_REQUEST_START_JOB"]
    asked = [e.get("params", {}) for e in started]
    urls = {p.get("url", "") for p in asked if p.get("initiator") != "not an origin"}
    return {u for u in urls if u.startswith(("http:", "https:", "ws:", "wss:"))}


@pytest.fixture(scope="module")
def visit(page, tmp_path_factory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("visit")
    log = folder / "net.json"
    return browse(page, folder, "--dump-dom", f"--log-net-log={log}"), log


def test_a_hostile_name_stays_text(visit):
    dom, _ = visit
    assert "<title>Ogive report</title>" in dom
    assert "planted=1" in dom
    assert "<img" not in dom.split("</main>")[0]
    assert "&lt;/script&gt;&lt;img src=x" in dom


def test_names_in_pictures_are_text_and_not_markup(visit):
    dom, _ = visit
    legend = dom[dom.index('class="legend"') :]
    assert "&lt;b&gt;bold&lt;/b&gt;" in legend
    assert "&lt;/script&gt;&lt;img src=x" in legend


def test_pictures_are_drawn(visit):
    dom, _ = visit
    main = dom.split("</main>")[0]
    assert main.count('data-drawn="yes"') == main.count("data-figure=") > 0
    assert '<svg class="main-svg"' in main
    assert "scatterlayer" in main


def test_no_request_leaves_the_machine(visit):
    assert not requests(visit[1])


def test_the_log_would_notice_a_request(tmp_path: Path):
    page, log = tmp_path / "page.html", tmp_path / "net.json"
    page.write_text("<title>x</title><img src='http://example.invalid/x.png'>")
    browse(page, tmp_path, "--dump-dom", f"--log-net-log={log}")
    assert requests(log) == {"http://example.invalid/x.png"}


def test_the_policy_stops_a_script_that_is_not_the_pages_own(page, tmp_path: Path):
    changed = tmp_path / "changed.html"
    changed.write_text(page.read_text(encoding="utf-8").replace("</body>", PLANTED + "</body>"), encoding="utf-8")
    assert "<title>Ogive report</title>" in browse(changed, tmp_path, "--dump-dom")


def test_the_visit_would_notice_a_script_that_runs(page, tmp_path: Path):
    """Without the policy the planted script does run: the test above can fail."""
    raw = page.read_text(encoding="utf-8").replace("Content-Security-Policy", "x-nothing")
    changed = tmp_path / "changed.html"
    changed.write_text(raw.replace("</body>", PLANTED + "</body>"), encoding="utf-8")
    assert "<title>taken</title>" in browse(changed, tmp_path, "--dump-dom")


def unguarded(page: Path, folder: Path, planted: str, *, scripts: bool = True) -> Path:
    """A copy of a page without its policy, in which a script of the test runs; without the page's own where not wanted."""
    raw = page.read_text(encoding="utf-8").replace("Content-Security-Policy", "x-nothing")
    if not scripts:
        raw = re.sub(r"<script>.*?</script>", "", raw, flags=re.DOTALL)
    copy = folder / "copy.html"
    copy.write_text(raw.replace("</body>", f"<script>{planted}</script></body>"), encoding="utf-8")
    return copy


def measured(dom: str) -> list[dict]:
    return [json.loads(html.unescape(found)) for found in re.findall(r'data-measured="([^"]*)"', dom)]


# Says whether anything but what scrolls in a frame of its own reaches beyond the window, and which pictures can be seen.
MEASURE = """
window.addEventListener("load", function () { setTimeout(function () {
  var width = document.documentElement.clientWidth, out = [];
  document.querySelectorAll("main *").forEach(function (part) {
    if (part.closest("pre, svg, details:not([open])") || part.closest(".wide") && !part.matches(".wide")) { return; }
    var box = part.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1)) { out.push(part.tagName + "." + part.className); }
  });
  function seen(name) {
    return Array.from(document.querySelectorAll(name)).filter(function (part) { return part.getClientRects().length; }).length;
  }
  var cut = Array.from(document.querySelectorAll(".wide")).filter(function (part) { return part.scrollWidth > part.clientWidth + 1; });
  var found = { width: width, whole: document.documentElement.scrollWidth, out: out, statics: seen(".static"), drawn: seen("[data-drawn]"),
    cut: cut.length, marked: cut.filter(function (part) { return part.classList.contains("cut"); }).length };
  if (window.parent !== window) { window.parent.postMessage(found, "*"); }
  else { document.body.setAttribute("data-measured", JSON.stringify(found)); }
}, 3000); });
"""
FRAMES = """<!DOCTYPE html><title>x</title><body><script>
window.addEventListener("message", function (event) {
  var note = document.createElement("p");
  note.setAttribute("data-measured", JSON.stringify(event.data));
  document.body.appendChild(note);
});
</script>%s</body>"""


def test_nothing_is_cut_or_covered_at_the_widths_of_phones_tablets_and_desks(page, tmp_path: Path):
    """A window of headless Chromium is at least 500 px wide; a frame may be narrower."""
    copy = unguarded(page, tmp_path, MEASURE)
    frames = tmp_path / "frames.html"
    widths = (400, 800, 1280)
    inside = "".join(f'<iframe src="{copy.name}" width="{w}" height="900" style="border:0"></iframe>' for w in widths)
    frames.write_text(FRAMES % inside, encoding="utf-8")
    found = sorted(measured(browse(frames, tmp_path, "--dump-dom")), key=lambda one: one["width"])
    assert [one["width"] for one in found] == [one["whole"] for one in found]
    assert [one["width"] for one in found] == pytest.approx(widths, abs=20)  # less a scroll bar
    assert [one["out"] for one in found] == [[], [], []]
    assert all(one["statics"] == 0 < one["drawn"] for one in found)
    assert all(one["cut"] == one["marked"] for one in found)
    assert found[0]["cut"] > 0


# The widths that pictures were laid out for, and those that they have.
TURNED = """
// Without a screen nobody tells the page that its window was made narrow.
window.addEventListener("load", function () {
setTimeout(function () { window.dispatchEvent(new Event("resize")); }, 8000);
setTimeout(function () {
  var kept = Array.from(document.querySelectorAll("[data-drawn]"));
  window.parent.postMessage({ width: document.documentElement.clientWidth,
    drawn: kept.map(function (part) { return part.drawnFor; }), now: kept.map(function (part) { return part.clientWidth; }) }, "*");
}, 12000); });
"""


def test_pictures_are_laid_out_anew_where_a_window_becomes_narrow(page, tmp_path: Path):
    copy = unguarded(page, tmp_path, TURNED)
    frames = tmp_path / "frames.html"
    turn = "<script>setTimeout(function () { document.querySelector('iframe').width = 400; }, 5000);</script>"
    inside = f'<iframe src="{copy.name}" width="1280" height="900" style="border:0"></iframe>{turn}'
    frames.write_text(FRAMES % inside, encoding="utf-8")
    (found,) = measured(browse(frames, tmp_path, "--dump-dom"))
    assert found["width"] == pytest.approx(400, abs=20)
    assert found["drawn"] == found["now"] != []


def test_without_scripts_the_static_pictures_are_seen(page, tmp_path: Path):
    (found,) = measured(browse(unguarded(page, tmp_path, MEASURE, scripts=False), tmp_path, "--dump-dom"))
    assert found["statics"] == page.read_text(encoding="utf-8").count("data-figure=") > 0
    assert found["drawn"] == 0
    assert found["out"] == []


AXE = os.environ.get("OGIVE_AXE", "")
RUN_AXE = """
document.querySelectorAll("details").forEach(function (part) { part.open = true; });
window.addEventListener("load", function () { setTimeout(function () {
  axe.run(document, { resultTypes: ["violations"] }).then(function (found) {
    var said = found.violations.map(function (one) { return { id: one.id, impact: one.impact, at: one.nodes.map(function (n) { return n.html.slice(0, 200); }) }; });
    document.body.setAttribute("data-measured", JSON.stringify({ rules: found.passes.length, said: said }));
  });
}, 3000); });
"""


@pytest.mark.skipif(not Path(AXE).is_file(), reason="OGIVE_AXE names no axe.min.js (npm pack axe-core)")
def test_a_checker_of_accessibility_finds_nothing_serious(page, tmp_path: Path):
    planted = Path(AXE).read_text(encoding="utf-8") + RUN_AXE
    (found,) = measured(browse(unguarded(page, tmp_path, planted), tmp_path, "--dump-dom"))
    assert found["rules"] > 10
    assert [one for one in found["said"] if one["impact"] in ("serious", "critical")] == []


def test_a_page_of_learning_curves_is_drawn_without_the_network_and_its_names_stay_text(tmp_path):
    values = np.random.default_rng(0).random((3, 1, 4, 30))
    values[0, 0, 1, 0] = np.nan
    curves = LearningCurves(
        values=np.round(values, 2), models=(HOSTILE, "<b>bold</b>", "%{x}"), definitions={"accuracy": definition("accuracy")},
        sizes=np.array([5, 10, 20, 40]), design="additive", test="fixed", n_rows=500, n_test=100, name=HOSTILE,
    )  # fmt: skip
    log = tmp_path / "net.json"
    dom = browse(write_curves(curves, tmp_path / "curves.html"), tmp_path, "--dump-dom", f"--log-net-log={log}")
    main = dom.split("</main>")[0]
    assert main.count('data-drawn="yes"') == main.count("data-figure=") == 4
    assert "<img" not in main
    assert "<b>bold</b>" not in main
    assert "<title>taken</title>" not in dom
    assert not requests(log)
