"""Files are written whole or not at all, and a place that cannot be written is known before work begins."""

import contextlib
import errno
import os
import random
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

import ogive.writing as module
from ogive.errors import InputError, UnwritableFile
from ogive.writing import make_folder_of, ready, refuse_same, write, writing

OLD, NEW = b"old " * 100, b"new " * 5000


@contextlib.contextmanager
def full_at(size: int):
    """No file can grow beyond `size` bytes, as on a disk that is full there."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_bytes(OLD)
    return path


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def sentence(error: pytest.ExceptionInfo) -> str:
    said = str(error.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert "Errno" not in said
    return said


# What fails leaves nothing


@pytest.mark.parametrize("size", [0, 1, 4096, len(NEW) - 1])
def test_a_full_disk_leaves_the_old_file_byte_for_byte(page, size):
    with full_at(size), pytest.raises(UnwritableFile) as error:
        write(page, NEW)
    assert f"{page} cannot be written: it is larger than a file may be here; raise the limit" in sentence(error)
    assert "(the file that is there stays as it was)" in sentence(error)
    assert page.read_bytes() == OLD
    assert names(page.parent) == [page.name]


def test_a_disk_with_just_enough_room_gets_the_whole_file(page):
    with full_at(len(NEW)):
        write(page, NEW)
    assert page.read_bytes() == NEW


def test_a_new_file_that_meets_a_full_disk_does_not_appear(tmp_path):
    with full_at(100), pytest.raises(UnwritableFile) as error:
        write(tmp_path / "new.html", NEW)
    assert "stays as it was" not in sentence(error)
    assert names(tmp_path) == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full; free some space, or choose another place"),
        (errno.EDQUOT, "the disk quota is used up; free some space"),
        (errno.EROFS, "the file system is read-only; choose another place"),
        (errno.EACCES, "there is no permission; change it"),
        (errno.EIO, "Input/output error; choose another place"),
    ],
)
def test_every_step_can_fail_and_the_reason_is_a_sentence(page, monkeypatch, step, number, words):
    def fail(*arguments):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(module.os, step, fail)
    with pytest.raises(UnwritableFile) as error:
        write(page, NEW)
    monkeypatch.undo()
    assert f"{page} cannot be written: {words}" in sentence(error)
    assert page.read_bytes() == OLD
    assert names(page.parent) == [page.name]


def test_a_file_system_that_cannot_sync_is_written_all_the_same(page, monkeypatch):
    def fail(handle):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(module.os, "fsync", fail)
    write(page, NEW)
    assert page.read_bytes() == NEW


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, ValueError, SystemExit])
def test_what_is_interrupted_leaves_the_old_file_and_nothing_beside_it(page, trouble):
    def half():
        with writing(page) as file:
            file.write(NEW[:1000])
            file.flush()
            raise trouble

    with pytest.raises(trouble):
        half()
    assert page.read_bytes() == OLD
    assert names(page.parent) == [page.name]


KILLED = """
import os, signal, sys
from ogive.writing import writing
with writing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("name", ["page.html", "ä" * 120 + ".html", "a\nb [x]*.html"])
def test_a_killed_writer_leaves_the_old_file_and_the_next_one_clears_up(tmp_path, name):
    page = tmp_path / name
    page.write_bytes(OLD)
    done = subprocess.run([sys.executable, "-c", KILLED, str(page)], timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert page.read_bytes() == OLD
    (left,) = (n for n in names(tmp_path) if n != name)
    assert left.startswith(".")
    assert left.endswith(".tmp")
    write(tmp_path / "other.html", NEW)
    assert left in names(tmp_path)  # another target's: not ours to remove
    write(page, NEW)
    assert names(tmp_path) == sorted([name, "other.html"])
    assert page.read_bytes() == NEW


def test_looking_at_a_place_clears_up_too(page):
    subprocess.run([sys.executable, "-c", KILLED, str(page)], timeout=60)
    assert len(names(page.parent)) == 2
    ready(page)
    assert names(page.parent) == [page.name]
    assert page.read_bytes() == OLD


def test_a_writer_under_way_is_not_taken_for_a_leftover(page):
    with writing(page) as first:
        first.write(b"first")
        first.flush()
        write(page, b"second")
        assert page.read_bytes() == b"second"
    assert page.read_bytes() == b"first"
    assert names(page.parent) == [page.name]


def test_where_locks_are_unknown_only_old_files_are_cleared(page, monkeypatch):
    monkeypatch.setattr(module, "_lock", lambda handle: None)
    young, old = (page.with_name(f".{page.name}.{digits}.tmp") for digits in ("0123abcd", "00000000"))
    for path in (young, old):
        path.touch()
    os.utime(old, (0, 0))
    write(page, NEW)
    assert names(page.parent) == sorted([page.name, young.name])


WRITER = """
import sys
from ogive.writing import write
for i in range(40):
    write(sys.argv[1], sys.argv[2].encode() * 100_000)
"""


def test_of_two_processes_that_write_the_same_page_a_reader_sees_whole_ones_only(page):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(page), letter]) for letter in "ab"]
    seen = set()
    while any(w.poll() is None for w in writers):
        seen.add(page.read_bytes())
    seen.add(page.read_bytes())
    assert [w.returncode for w in writers] == [0, 0]
    assert seen <= {OLD, b"a" * 100_000, b"b" * 100_000}
    assert len(seen) > 1
    assert names(page.parent) == [page.name]


ALTERNATELY = """
import sys
from ogive.writing import write
print("begun", flush=True)
while True:
    for letter in (b"a", b"b"):
        write(sys.argv[1], letter * 5_000_000)
"""


@pytest.mark.slow
def test_writers_killed_at_any_moment_leave_a_whole_file_and_at_most_one_other(page):
    """Kills fall while a page of 5 MB is being written, over and over."""
    rng = random.Random(0)
    kills, whole, left = int(os.environ.get("OGIVE_KILLS", "20")), [b"a" * 5_000_000, b"b" * 5_000_000], 0
    for _ in range(kills):
        writer = subprocess.Popen([sys.executable, "-c", ALTERNATELY, str(page)], stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(0.02 + 0.2 * rng.random())
        writer.kill()
        writer.communicate(timeout=30)
        assert page.read_bytes() in (OLD, *whole)
        others = [name for name in names(page.parent) if name != page.name]
        assert len(others) <= 1
        left += len(others)
    assert left, "no kill fell into a writing"
    write(page, NEW)
    assert names(page.parent) == [page.name]


WRITING = re.compile(
    r"\.write_(?:text|bytes)\(|\.savefig\(|open\([^)\n]*[\"'][rwxa]*[wxa]b?\+?[\"']|os\.(?:replace|rename|link)\(|\.rename\("
)
# Who may: this module, the store's own, pictures drawn in memory, and data for children in files without a name.
# What `repair` sets aside is renamed as it is.
WRITERS = {"writing.py", "store/_publish.py", "store/_care.py", "plots/_page.py", "runner/_source.py"}


def test_no_other_module_writes_a_file(repository):
    source = repository / "src" / "ogive"
    found = {
        f"{path.relative_to(source)}:{number}: {line.strip()}"
        for path in source.rglob("*.py")
        if str(path.relative_to(source)) not in WRITERS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if WRITING.search(line) and ".rename(columns" not in line
    }
    assert found == set()


# What a plain open() would have done


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_a_new_file_has_the_permissions_that_open_gives(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write(tmp_path / "p.html", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "p.html").stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_an_existing_file_keeps_its_permissions_from_the_first_byte_on(page, mode):
    page.chmod(mode)
    with writing(page) as file:
        (temporary,) = (p for p in page.parent.iterdir() if p != page)
        assert stat.S_IMODE(temporary.stat().st_mode) == mode
        file.write(NEW)
    assert stat.S_IMODE(page.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_existing_file_keeps_its_owner(page):
    os.chown(page, 65534, 65534)
    write(page, NEW)
    assert (page.stat().st_uid, page.stat().st_gid) == (65534, 65534)


def test_a_group_that_cannot_be_kept_leaves_no_rights_to_another(page, monkeypatch):
    page.chmod(0o660)
    there = page.stat()
    old = os.stat_result((there.st_mode, *there[1:5], there.st_gid + 1, *there[6:]))

    def refuse(*arguments):
        raise PermissionError(errno.EPERM, "no")

    monkeypatch.setattr(module.os, "fchown", refuse)
    with page.open("r+b") as file:
        module._keep_permissions(file.fileno(), old)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_a_link_is_followed_and_stays_a_link(page, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "second").symlink_to("../page.html")
    (tmp_path / "first.html").symlink_to("deep/second")
    write(tmp_path / "first.html", NEW)
    assert (tmp_path / "first.html").is_symlink()
    assert (tmp_path / "deep" / "second").is_symlink()
    assert page.read_bytes() == NEW
    assert names(tmp_path / "deep") == ["second"]


def test_a_link_to_nothing_yet_makes_its_target(tmp_path):
    (tmp_path / "link.html").symlink_to("target.html")
    write(tmp_path / "link.html", NEW)
    assert (tmp_path / "target.html").read_bytes() == NEW
    (tmp_path / "lost.html").symlink_to("absent/target.html")
    with pytest.raises(UnwritableFile, match=r"lost\.html.*absent"):
        write(tmp_path / "lost.html", NEW)
    make_folder_of(ready(tmp_path / "lost.html", folders=True))
    write(tmp_path / "lost.html", NEW)
    assert (tmp_path / "absent" / "target.html").read_bytes() == NEW


def test_a_link_that_is_not_followed_is_replaced(page, tmp_path):
    (tmp_path / "link.html").symlink_to(page)
    ready(tmp_path / "link.html", follow=False)
    write(tmp_path / "link.html", NEW, follow=False)
    assert not (tmp_path / "link.html").is_symlink()
    assert page.read_bytes() == OLD


def test_a_pipe_is_written_straight(tmp_path):
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    ready(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write(pipe, NEW)
    reader.join(10)
    assert got == [NEW]
    assert names(tmp_path) == ["pipe.html"]


def test_devices_are_written_straight():
    ready("/dev/null")
    write("/dev/null", NEW)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    if os.path.exists("/dev/full"):
        with pytest.raises(UnwritableFile, match=r"^/dev/full .*disk is full"):
            write("/dev/full", NEW)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("where", ["file", "pipe"])
def test_standard_output_gets_the_content_in_its_place(tmp_path, name, where):
    if not os.path.exists(name) and name != "link":
        pytest.skip(f"there is no {name}")
    (tmp_path / "link").symlink_to("/dev/stdout")
    program = (
        f"from ogive.writing import ready, write; print('before'); write(ready({name!r}), b'here '); print('after')"
    )
    out = tmp_path / "out"
    out.write_text("earlier\n")
    with out.open("a") as file:
        target = file if where == "file" else subprocess.PIPE
        done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, stdout=target, timeout=60, check=True)
    got = out.read_text() if where == "file" else f"earlier\n{done.stdout.decode()}"
    assert got == "earlier\nbefore\nhere after\n"
    assert names(tmp_path) == ["link", "out"]


# Places that cannot be had


@pytest.mark.parametrize("look", [ready, lambda path: write(path, NEW)])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder.html", "it is a folder; choose another name"),
        ("absent/p.html", "there is no folder '"),
        ("file/p.html", "a file stands where a folder is needed; choose another place"),
        ("n" * 300 + ".html", "the name is too long; choose a shorter one, of at most 255 bytes"),
        ("p/" * 3000 + "p.html", "the name is too long"),
        ("loop.html", "its symbolic links lead in a circle"),
        ("socket", "it is a socket"),
        pytest.param(
            "/proc/p.html",
            "files cannot be made there",
            marks=pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc"),
        ),
    ],
)
def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch, look, name, words):
    monkeypatch.chdir(tmp_path)
    Path("folder.html").mkdir()
    Path("file").write_text("x")
    Path("loop.html").symlink_to("loop.html")
    with socket.socket(socket.AF_UNIX) as heard:
        heard.bind("socket")
        before = names(tmp_path)
        with pytest.raises(UnwritableFile) as error:
            look(name)
    assert sentence(error).startswith(f"{name} cannot be written: ")
    assert words in sentence(error)
    assert names(tmp_path) == before


@pytest.mark.parametrize("look", [ready, make_folder_of, lambda path: write(path, NEW)])
@pytest.mark.parametrize("name", ["", "a\0b.html", "\ud800.html", 3, None, b"p.html"])
def test_what_cannot_be_a_name_is_refused(tmp_path, monkeypatch, look, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="name"):
        look(name)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "name", ["p q.html", "-p.html", "ü∞.html", "a\nb.html", "'\"$`.html", "\x1b[31m.html", os.fsdecode(b"\xff.html")]
)
def test_odd_names_are_names(tmp_path, name):
    write(ready(tmp_path / name), NEW)
    assert names(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == NEW
    with full_at(10), pytest.raises(UnwritableFile) as error:
        write(tmp_path / name, OLD)
    assert sentence(error).isprintable()


@contextlib.contextmanager
def as_somebody():
    """A folder where permissions count, also for tests that root runs."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, -1)
        os.seteuid(65534)
    try:
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
            pytest.skip("the folder for temporary files is closed to others")
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_no_permission_is_said_before_and_while_writing():
    with as_somebody() as folder:
        (folder / "kept.html").write_bytes(OLD)
        (folder / "kept.html").chmod(0o444)
        (folder / "sub").mkdir()
        (folder / "sub" / "open.html").write_bytes(OLD)
        (folder / "sub").chmod(0o555)
        for name in ("kept.html", "sub/new.html", "sub/open.html"):
            for look in (ready, lambda path: write(path, NEW)):
                with pytest.raises(UnwritableFile, match="no permission"):
                    look(folder / name)
        with pytest.raises(UnwritableFile, match="no permission"):
            ready(folder / "sub" / "deeper" / "p.html", folders=True)
        with pytest.raises(UnwritableFile, match="no permission"):
            make_folder_of(folder / "sub" / "deeper" / "p.html")
        assert (folder / "kept.html").read_bytes() == OLD
        assert (folder / "sub" / "open.html").read_bytes() == OLD
        (folder / "sub").chmod(0o755)
        if os.getuid() == 0:  # somebody else's file that everybody may write, in a folder like /tmp
            os.seteuid(0)
            (folder / "sub" / "other.html").write_bytes(OLD)
            (folder / "sub" / "other.html").chmod(0o666)
            os.chown(folder / "sub", 0, -1)
            (folder / "sub").chmod(0o1777)
            os.seteuid(65534)
            for look in (ready, lambda path: write(path, NEW)):
                with pytest.raises(UnwritableFile, match="no permission"):
                    look(folder / "sub" / "other.html")
            os.seteuid(0)
            (folder / "sub" / "other.html").unlink()
            os.chown(folder / "sub", 65534, -1)
            os.seteuid(65534)
        (folder / "sub").chmod(0o300)  # may be written and not be listed
        write(ready(folder / "sub" / "new.html"), NEW)
        (folder / "sub").chmod(0o700)
        assert names(folder / "sub") == ["new.html", "open.html"]


def test_looking_leaves_no_trace_and_makes_no_folder(page, tmp_path):
    assert ready(page) == page
    assert ready(tmp_path / "new" / "er" / "p.html", folders=True) == tmp_path / "new" / "er" / "p.html"
    assert names(tmp_path) == [page.name]
    assert page.read_bytes() == OLD


@pytest.mark.parametrize(
    ("name", "words"), [("file/er/p.html", "a file stands"), ("new/" + "n" * 300 + "/p.html", "too long")]
)
def test_folders_that_could_not_be_made_are_noticed_before(tmp_path, name, words):
    (tmp_path / "file").touch()
    for look in (lambda path: ready(path, folders=True), make_folder_of):
        with pytest.raises(UnwritableFile, match=words):
            look(tmp_path / name)


def test_a_disk_without_room_for_the_least_is_refused_before(page, monkeypatch):
    with full_at(10_000):
        ready(page, least=10_000)
        with pytest.raises(UnwritableFile):
            ready(page, least=10_001)
        monkeypatch.delattr(module.os, "posix_fallocate")  # where it is not to be had, bytes are written
        ready(page, least=10_000)
        with pytest.raises(UnwritableFile):
            ready(page, least=10_001)
    assert names(page.parent) == [page.name]


def test_what_is_read_is_not_written_over(page, tmp_path):
    (tmp_path / "link.html").symlink_to(page)
    (tmp_path / "hard.html").hardlink_to(page)
    for same in (page, tmp_path / "link.html", tmp_path / "hard.html", f"{tmp_path}/./page.html"):
        with pytest.raises(InputError, match="`--out`"):
            refuse_same(same, "--out", {str(page): "a file that is read"})
    refuse_same("/dev/null", "--out", {"/dev/null": "what is printed"})
    refuse_same("/dev/stdout", "--out", {"/dev/stdout": "what is printed"})
    refuse_same(tmp_path / "other.html", "--out", {str(page): "a file that is read", "sqlite:///x\0": "odd"})


# What is not the file's fault


def test_an_error_of_the_block_itself_is_not_blamed_on_the_file(page, tmp_path):
    with pytest.raises(FileNotFoundError, match=re.escape("logo.png")), writing(page) as file:
        file.write((tmp_path / "logo.png").read_bytes())
    with pytest.raises(FileNotFoundError), writing(os.devnull) as file:
        file.write((tmp_path / "logo.png").read_bytes())
    assert page.read_bytes() == OLD
    assert names(tmp_path) == [page.name]


def test_a_write_that_is_refused_within_the_block_is_said_of_the_file(page):
    with full_at(8000), pytest.raises(UnwritableFile, match="larger"), writing(page) as file:
        file.write(bytes(20_000))
    assert page.read_bytes() == OLD


def test_a_leftover_is_removed_where_an_open_file_cannot_be(page, monkeypatch):
    left = page.with_name(f".{page.name}.{'0' * 8}.tmp")
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    real = os.unlink

    def unlink(path, *rest, **more):
        opened = [
            os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if n.isdecimal() and _is_open(n)
        ]
        if str(path) in opened:
            raise PermissionError(errno.EACCES, "it is in use by another process")
        real(path, *rest, **more)

    monkeypatch.setattr(module, "HOLDS_OPEN_FILES", True)
    monkeypatch.setattr(module, "_lock", lambda handle: None)
    monkeypatch.setattr(os, "unlink", unlink)
    write(page, NEW)
    assert page.read_bytes() == NEW
    assert names(page.parent) == [page.name]


def _is_open(number: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{number}")
