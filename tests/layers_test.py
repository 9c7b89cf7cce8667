"""Checks that includes run down only: from a folder to those below it, and never in a circle; that
the program and the Python package take what api/ installs, and nothing below it but value types
(tests/value_types.txt): what holds values, their text or their files, and neither opens, changes
nor searches an index.

Usage: layers_test.py REPOSITORY
"""
import collections
import pathlib
import re
import sys
import unittest

# Each library, and the libraries whose interface headers it may include.
LIBRARIES = {
    "core": set(),
    "codecs": {"core"},
    "vector": {"core"},
    "indexer": {"core", "codecs", "vector"},
    "query": {"core", "codecs", "vector", "indexer"},
    "scheduler": {"core", "codecs", "vector", "indexer", "query"},
    "api": {"core", "codecs", "vector", "indexer", "query", "scheduler"},
    "server": {"core", "codecs", "vector", "indexer", "query", "scheduler", "api"},
}
INCLUDE = re.compile(r'^\s*#include (?:"|<(?=warpdex/))([^">]+)[">]', re.MULTILINE)
GENERATED = "warpdex/version.hpp"
MAX_PUBLIC_HEADERS = 40
SUFFIXES = {".hpp", ".cuh", ".cpp", ".cu"}


def is_interface(path):
    """Whether other folders may include the header: it lies in FOLDER/include/."""
    return path.split("/")[1] == "include"


def logical(path):
    """The path without include/warpdex/FOLDER/: where the header belongs in its library."""
    library, _, rest = path.partition("/")
    prefix = "include/warpdex/" if library == "api" else f"include/warpdex/{library}/"
    return f"{library}/{rest.removeprefix(prefix)}"


def resolve(includer, name, files):
    """The file that is meant, or None where it is none that this file may include."""
    library = includer.split("/")[0]
    if name.startswith("warpdex/"):
        parts = name.split("/")
        owner = parts[1] if len(parts) > 2 else "api"
        allowed = LIBRARIES[library] | {library}
        path = f"{owner}/include/{name}"
        return path if owner in allowed and path in files else None
    path = f"{library}/{name}"
    return path if path in files and not is_interface(includer) else None


def read_includes(root):
    """For each source and header of the libraries: the names that it includes in quotes."""
    includes = {}
    for library in LIBRARIES:
        for path in sorted((root / library).rglob("*")):
            if path.suffix in SUFFIXES:
                name = path.relative_to(root).as_posix()
                includes[name] = INCLUDE.findall(path.read_text(encoding="utf-8"))
    return includes


def upward_includes(includes):
    """Sentences on includes that name no header of the same library or of one below."""
    return [
        f'{path} includes "{name}", which is no header of {path.split("/")[0]} that this file may '
        "see, nor of a library below it"
        for path, names in includes.items()
        for name in names
        if name != GENERATED and resolve(path, name, includes) is None
    ]


def find_circle(edges):
    """The nodes of one circle in a graph, in order, or None."""
    done = set()
    for start in edges:
        path = []
        on_path = set()
        stack = [(start, iter(sorted(edges[start])))]
        path.append(start)
        on_path.add(start)
        while stack:
            node, successors = stack[-1]
            following = next((n for n in successors if n not in done), None)
            if following is None:
                done.add(node)
                on_path.discard(path.pop())
                stack.pop()
            elif following in on_path:
                return path[path.index(following):] + [following]
            else:
                path.append(following)
                on_path.add(following)
                stack.append((following, iter(sorted(edges.get(following, ())))))
    return None


def file_graph(includes):
    """Which files each file includes."""
    graph = {}
    for path, names in includes.items():
        resolved = {resolve(path, name, includes) for name in names}
        graph[path] = {other for other in resolved if other is not None}
    return graph


def folder_graph(includes):
    """Which other folders the files of each folder include, headers counted where they belong."""
    graph = collections.defaultdict(set)
    for path, others in file_graph(includes).items():
        folder = logical(path).rpartition("/")[0]
        graph[folder] |= {logical(other).rpartition("/")[0] for other in others} - {folder}
        for other in graph[folder]:
            graph.setdefault(other, set())
    return dict(graph)


def public_headers(includes):
    """The headers of api/, and all that they include."""
    found = set()
    left = [path for path in includes if path.startswith("api/") and is_interface(path)]
    while left:
        path = left.pop()
        if path in found:
            continue
        found.add(path)
        others = {resolve(path, name, includes) for name in includes[path]}
        left += [other for other in others if other is not None]
    return found


def installed_headers(text):
    """The paths of the headers that cmake/install.cmake lists."""
    listed = re.search(r"set\(warpdex_public_headers\s+([^)]*)\)", text).group(1).split()
    folders = {name.split("/")[0]: name.split("/")[0] + "/" for name in listed} | {"api": ""}
    return {f"{name.split('/')[0]}/include/warpdex/{folders[name.split('/')[0]]}"
            + name.partition("/")[2] for name in listed}


def names_of(headers):
    """As they are included."""
    return {path.partition("include/")[2] for path in headers} | {GENERATED}


UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
UNNAMED_NAME = re.compile(r"^(?:(?:class|struct|enum class|using(?=\s\w+ =)) (\w+)"
                          r"|(?:static |inline )?constexpr [^;=({]*?\b(k[A-Z]\w*)(?:\[[^\]]*\])?\s*[={])",
                          re.MULTILINE)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)


def clashes(texts):
    """Types and constants of the same name in unnamed namespaces of several files of a library,
    which a build of several files at once may compile together."""
    places = collections.defaultdict(set)
    for path, text in texts.items():
        outer = NAMESPACE.search(text)
        for block in UNNAMED.findall(text):
            for name in UNNAMED_NAME.findall(block):
                places[outer and outer.group(1), max(name)].add(path)
    return [f"{name} is in {' and '.join(sorted(paths))}"
            for (_, name), paths in sorted(places.items()) if len(paths) > 1]


def passers_by(sources, allowed):
    """Each file of a program with a header of the libraries that it includes and that is not
    `allowed`."""
    return {f"{path} {name}" for path, names in sources.items() for name in names
            if name.startswith("warpdex/") and name not in allowed}


class Layers(unittest.TestCase):
    root = pathlib.Path()

    def value_types(self):
        return set((self.root / "tests/value_types.txt").read_text("utf-8").splitlines())

    def test_includes_run_down(self):
        includes = read_includes(self.root)
        self.assertGreater(len(includes), 200, "too few files were read: is the path right?")
        self.assertEqual([], upward_includes(includes))

    def test_no_file_includes_itself_in_a_circle(self):
        self.assertIsNone(find_circle(file_graph(read_includes(self.root))))

    def test_no_folders_include_each_other_in_a_circle(self):
        self.assertIsNone(find_circle(folder_graph(read_includes(self.root))))

    def test_what_is_installed_is_what_api_includes(self):
        needed = public_headers(read_includes(self.root))
        listed = installed_headers((self.root / "cmake/install.cmake").read_text("utf-8"))
        self.assertEqual(needed, listed)
        self.assertLessEqual(len(listed), MAX_PUBLIC_HEADERS)

    def test_the_program_the_server_and_python_take_api_alone(self):
        server = {"warpdex/server/server.hpp"}
        allowed = names_of(public_headers(read_includes(self.root))) | self.value_types() | server
        sources = {path.relative_to(self.root).as_posix():
                   INCLUDE.findall(path.read_text(encoding="utf-8"))
                   for folder in ("tools/warpdex", "python/src", "server")
                   for path in (self.root / folder).rglob("*") if path.suffix in SUFFIXES}
        self.assertEqual(set(), passers_by(sources, allowed), "these includes pass api/ by")

    def test_files_of_a_library_can_be_compiled_together(self):
        alone = re.compile("avx|x86|kernels")  # compiled for processors of their own
        for library in LIBRARIES:
            texts = {path.relative_to(self.root).as_posix(): path.read_text("utf-8")
                     for path in (self.root / library).rglob("*.cpp") if not alone.search(path.name)}
            self.assertEqual([], clashes(texts), "rename all but one")

    def test_examples_include_one_header(self):
        for path in (self.root / "examples").glob("*.cpp"):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(["warpdex/warpdex.hpp"], re.findall(r"[<\"](warpdex/[^>\"]+)", text))


class TheCheckItself(unittest.TestCase):
    """Each defect is found in a tree that has it."""

    sound = {
        "core/include/warpdex/core/error.hpp": [],
        "core/cuda/stream.cpp": ["warpdex/core/error.hpp"],
        "query/plan/plan.hpp": ["warpdex/core/error.hpp"],
        "query/cpu/search.cpp": ["plan/plan.hpp"],
    }

    def test_sound_tree(self):
        self.assertEqual([], upward_includes(self.sound))
        self.assertIsNone(find_circle(file_graph(self.sound)))
        self.assertIsNone(find_circle(folder_graph(self.sound)))

    def test_include_of_a_library_above(self):
        tree = self.sound | {
            "query/include/warpdex/query/engine.hpp": [],
            "core/cuda/buffer.cpp": ["warpdex/query/engine.hpp"],
        }
        self.assertEqual(1, len(upward_includes(tree)))

    def test_include_of_another_library_s_own_header(self):
        tree = self.sound | {"query/cpu/other.cpp": ["cuda/own.hpp"], "core/cuda/own.hpp": []}
        self.assertEqual(1, len(upward_includes(tree)))

    def test_interface_header_that_includes_an_internal_one(self):
        tree = self.sound | {"query/include/warpdex/query/engine.hpp": ["plan/plan.hpp"]}
        self.assertEqual(1, len(upward_includes(tree)))

    def test_names_that_clash(self):
        text = "namespace warpdex {\nnamespace {\n%s\n}  // namespace\n}\n"
        sound = {"a.cpp": text % "constexpr int kA = 1;", "b.cpp": text % "constexpr int kB{2};"}
        self.assertEqual([], clashes(sound))
        for twice in ("constexpr int kA[] = {1};", "struct Row {", "using Row = int;", "enum class Row {",
                      "constexpr std::array<int, 2> kRows{1, 2};"):
            self.assertEqual(1, len(clashes({"a.cpp": text % twice, "b.cpp": text % twice})), twice)

    def test_include_that_passes_api_by(self):
        allowed = names_of({"api/include/warpdex/searcher.hpp"})
        self.assertEqual({"b.cpp warpdex/query/cpu/cpu_engine.hpp"}, passers_by(
            {"a.cpp": ["warpdex/searcher.hpp", "table.hpp"],
             "b.cpp": ["warpdex/query/cpu/cpu_engine.hpp"]}, allowed))

    def test_what_api_includes_is_public(self):
        tree = self.sound | {"api/include/warpdex/searcher.hpp": ["warpdex/core/error.hpp"]}
        self.assertEqual({"api/include/warpdex/searcher.hpp",
                          "core/include/warpdex/core/error.hpp"}, public_headers(tree))

    def test_circles(self):
        files = self.sound | {
            "query/plan/a.hpp": ["plan/b.hpp"],
            "query/plan/b.hpp": ["plan/a.hpp"],
        }
        self.assertIsNotNone(find_circle(file_graph(files)))
        folders = self.sound | {"query/plan/a.hpp": ["cpu/b.hpp"], "query/cpu/b.hpp": []}
        self.assertIsNone(find_circle(file_graph(folders)))
        self.assertIsNotNone(find_circle(folder_graph(folders)))


if __name__ == "__main__":
    Layers.root = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".")
    unittest.main()
