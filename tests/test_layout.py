"""What style asks of the tree: sizes, names, mirrors, includes.

`python tests/test_layout.py` prints the ten largest files.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = {".py", ".cpp", ".h", ".hpp", ".c", ".inc", ".cmake"}
TEXT = CODE | {".md", ".toml", ".txt"}

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_COLUMNS = 100
FORBIDDEN_FOLDERS = {"utils", "util", "common", "helpers", "misc"}

# Lists and figures, not code: no bound on their length.
UNBOUNDED = re.compile(r"/kernels\.inc$|^python/sidra/chip/presets/|^tests/golden/|/driver\.h$")

# Test folders that mirror C++ (src/runtime and src/aten are tested through PyTorch), define a
# reference or run whole models; everything else under tests/ mirrors python/sidra.
FREE_TEST_FOLDERS = {"aten", "device", "numerics", "e2e", "golden", "torch"}


def tracked_files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


FILES = tracked_files()
CODE_FILES = [name for name in FILES if Path(name).suffix in CODE]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def largest_files() -> list[tuple[int, str]]:
    sizes = [(read(name).count("\n"), name) for name in CODE_FILES]
    return sorted(sizes, reverse=True)[:10]


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    """Name and length of each function; the docstring counts."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


# Comments, literals and preprocessor lines, which may hold braces.
CPP_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
    r"'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
CPP_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()=]*$")


def cpp_functions(text: str) -> Iterator[tuple[str, int]]:
    """Header and length of each outermost block that is neither a scope nor a table."""
    text = CPP_NOISE.sub(lambda match: "\n" * match.group().count("\n"), text)
    header_start = 0
    scopes: list[bool] = []  # of the open braces: is it a scope
    outermost: tuple[str, int] | None = None
    for position in (match.start() for match in re.finditer(r"[{};]", text)):
        mark = text[position]
        if mark == "{":
            header = " ".join(text[header_start:position].split())
            scope = all(scopes) and bool(CPP_SCOPE.search(header))
            if all(scopes) and not scope and ")" in header:
                outermost = (header, text.count("\n", 0, position))
            scopes.append(scope)
        elif mark == "}" and scopes:
            scopes.pop()
            if all(scopes) and outermost:
                header, line = outermost
                yield header, text.count("\n", 0, position) - line + 1
                outermost = None
        header_start = position + 1


def mirrored(name: str) -> str | None:
    """The test file that a Python source file must have, or None."""
    path = Path(name)
    if path.parts[:2] != ("python", "sidra") or path.suffix != ".py":
        return None
    if path.name.startswith("_"):  # packages' faces, and names that PyTorch looks for
        return None
    if "presets" in path.parts:
        return None
    return str(Path("tests", *path.parts[2:-1], f"test_{path.name}"))


def cpp_test(name: str) -> str | None:
    """The test file that a C++ source file must have, or None.

    A microkernel family (a folder with kernels.inc) has one test, which its list drives. Drivers
    that compute nothing are covered by conformance. src/runtime and src/aten are tested through
    PyTorch, in tests/device and tests/aten.
    """
    path = Path(name)
    if path.suffix != ".cpp" or path.parts[:1] != ("src",) or len(path.parts) < 3:
        return None
    if path.parts[1] not in ("kernels", "drivers"):
        return None
    if path.parts[2] in ("conformance", "null") or path.stem.endswith(("_test", "_bench")):
        return None
    if (ROOT / path.parent / "kernels.inc").exists():
        return str(path.parent / f"{path.parent.name}_test.cpp")
    return str(path.with_name(f"{path.stem}_test.cpp"))


def test_lines_fit_the_width() -> None:
    wide = [
        f"{name}:{number}"
        for name in CODE_FILES
        for number, line in enumerate(read(name).splitlines(), start=1)
        if len(line) > MAX_COLUMNS
    ]
    assert not wide, f"wider than {MAX_COLUMNS} columns"


def test_files_and_functions_are_short() -> None:
    long = []
    for name in (name for name in CODE_FILES if not UNBOUNDED.search(name)):
        text = read(name)
        if text.count("\n") > MAX_FILE_LINES:
            long.append(f"{name}: {text.count(chr(10))} lines")
        functions = python_functions(text) if name.endswith(".py") else cpp_functions(text)
        long += [f"{name}: {what}: {n} lines" for what, n in functions if n > MAX_FUNCTION_LINES]
    assert not long


def test_text_is_ascii() -> None:
    strange = {
        name: characters
        for name in FILES
        if Path(name).suffix in TEXT
        and (characters := {character for character in read(name) if not character.isascii()})
    }
    assert not strange


def test_todos_carry_an_issue() -> None:
    form = re.compile(r"\b(?:TO" r"DO(?!\(#\d+\): )|FIX" r"ME|XX" r"X)\b[^\n]*")
    bare = {name: found for name in CODE_FILES if (found := form.findall(read(name)))}
    assert not bare, "write it as TODO(#12): what"


def test_no_drawer_for_leftovers() -> None:
    drawers = [name for name in FILES if FORBIDDEN_FOLDERS & set(Path(name).parts[:-1])]
    assert not drawers


def test_each_python_file_has_its_test() -> None:
    missing = {name: test for name in FILES if (test := mirrored(name)) and test not in FILES}
    assert not missing


def test_each_python_test_has_its_file() -> None:
    orphans = [name for name in FILES if re.match(r"tests/.*test_\w+\.py$", name)]
    assert not [name for name in orphans if not has_source(Path(name))]


def has_source(test: Path) -> bool:
    if test.parts[1] in FREE_TEST_FOLDERS or test.name == "test_layout.py":
        return True
    source = Path("python/sidra", *test.parts[1:-1], test.name.removeprefix("test_"))
    package = source.with_suffix("") / "__init__.py"
    return str(source) in FILES or str(package) in FILES


def test_each_cpp_file_has_its_test() -> None:
    missing = {name: test for name in FILES if (test := cpp_test(name)) and test not in FILES}
    assert not missing


def test_includes_respect_the_driver_header() -> None:
    pattern = re.compile(r'#include ["<](?:\.\./)*(drivers|kernels)/')
    wrong = {
        name: crossed
        for name in CODE_FILES
        if (crossed := set(pattern.findall(read(name))) - may_include(name))
    }
    assert not wrong


def may_include(name: str) -> set[str]:
    if name.startswith("src/drivers/conformance/"):
        return {"drivers"}
    if name.startswith("src/drivers/"):
        return {"drivers", "kernels"}
    return {"kernels"} if name.startswith(("src/kernels/", "bench/kernels/")) else set()


def test_cpp_functions_are_found() -> None:
    text = """
    namespace a { struct S { int f() const { return '{'; } };
    int table[] = {1, 2};
    template <class T> void g(T t) {
      if (t) { h("}"); }
    }
    }
    """
    assert [(header.split("(")[0], lines) for header, lines in cpp_functions(text)] == [
        ("int f", 1),
        ("template <class T> void g", 3),
    ]


if __name__ == "__main__":
    for lines, name in largest_files():
        print(f"{lines:6} {name}")
