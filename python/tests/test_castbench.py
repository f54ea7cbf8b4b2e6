"""The package against the program: the same answers, the same messages.

    CASTBENCH=target/debug/castbench python -m unittest discover python/tests

Without CASTBENCH the program is the one on the path, or else the one that was built last.
"""

import ast
import contextlib
import csv
import doctest
import importlib.util
import inspect
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import castbench

PYTHON = Path(__file__).resolve().parent.parent
BUILT = PYTHON.parent / "target" / "debug" / "castbench"
PROGRAM = os.environ.get("CASTBENCH") or shutil.which("castbench") or BUILT


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


def options(parameters):
    """A point as it is typed."""
    for name, value in parameters.items():
        yield from ("-" + name if len(name) == 1 else "--" + name.replace("_", "-"), str(value))


def typed(algorithm, example):
    """The options of an algorithm, which are not always spelled as its axes."""
    spelled = {"t_s": "startup", "t_h": "hop", "t_f": "flit"}
    return [algorithm, *options({spelled.get(name, name): value for name, value in example.items()})]


def exact(value):
    return Fraction(value) if isinstance(value, str) else value


def everywhere():
    """A configuration with a grid for the example of each algorithm."""
    # An axis can be of another kind in another problem.
    kinds = {(problem["problem"], axis["axis"]): axis["kind"] for problem in castbench.problems() for axis in problem["axes"]}
    grids = []
    for listed in castbench.algorithms():
        grid = {"name": listed["algorithm"], "algorithms": [listed["algorithm"]]}
        for axis in listed["axes"]:
            key = "mesh" if kinds[listed["problem"], axis] == "sides" and "mesh" in listed["example"] else axis
            if key in listed["example"]:
                grid[axis] = [listed["example"][key]]
        grids.append(grid)
    # Points on a machine, and points at which an algorithm is not defined.
    machine = {"name": "machine", "algorithms": ["broadcast-split-binary"], "machines": ["ethernet100-switched"], "ports": ["duplex"]}
    grids.append({**machine, "bytes": ["64KiB"], "K": [7, 8], "m": [1, 8]})
    return {"schema": 1, "grid": grids}


class Costs(unittest.TestCase):
    def test_every_algorithm_costs_what_the_program_prints(self):
        listed = castbench.algorithms()
        self.assertGreater(len(listed), 40)
        for entry in listed:
            name, example = entry["algorithm"], entry["example"]
            with self.subTest(name):
                answer = castbench.cost(name, **example)
                printed = program("cost", *typed(name, example), "--format", "json")
                self.assertEqual(printed.stderr, "")
                expected = json.loads(printed.stdout)
                self.assertEqual(list(answer), list(expected))
                for key, value in expected.items():
                    value = value if key in ("algorithm", "parameters", "analytic_by") else exact(value)
                    self.assertEqual((key, type(answer[key]), answer[key]), (key, type(value), value))

    def test_numbers_are_exact(self):
        answer = castbench.cost("dual-path", mesh="8x8", K=2)
        self.assertEqual(answer["analytic"], Fraction(290, 31))
        self.assertIs(type(castbench.cost("optimal", L=6, o=2, g=4, K=10**18)["analytic"]), int)
        # Longer than what Python reads as a decimal number by default.
        longest = castbench.cost("dual-path", mesh="128x128", K=8000, trials=1)["analytic"]
        self.assertGreater(longest.denominator.bit_length(), 15_000)

    def test_values_are_numbers_texts_and_tuples(self):
        self.assertEqual(
            castbench.cost("dual-path", mesh=(8, 4), K=2, trials=10),
            castbench.cost("dual-path", mesh="8x4", K="2", trials=10, seed=None),
        )
        answer = castbench.cost("halving", machine="ethernet100-switched", bytes="1MiB", K=18)
        self.assertEqual(answer["parameters"]["bytes"], 1 << 20)
        skipped = castbench.cost("halving", L=6, o=2, g=4, K=18, simulate_up_to=4)
        self.assertIsNone(skipped["simulated"])


class Sweeps(unittest.TestCase):
    def same_as_the_program(self, columns, path):
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        self.assertEqual(list(columns), header)
        self.assertEqual({len(values) for values in columns.values()}, {len(rows)})
        for row, *values in zip(rows, *columns.values()):
            for name, field, value in zip(header, row, values):
                self.assertEqual("" if value is None else str(value), "" if field == "none" else field, (name, row))

    def test_rows_are_those_of_the_program(self):
        config = everywhere()
        problems = [problem["problem"] for problem in castbench.problems()]
        with tempfile.TemporaryDirectory() as directory:
            # JSON within TOML: the grids as inline tables.
            text = "schema = 1\ngrid = [\n" + ",\n".join(map(inline, config["grid"])) + "\n]\n"
            path = Path(directory, "config.toml")
            path.write_text(text)
            swept = program("sweep", str(path), "--out", directory)
            self.assertEqual(swept.returncode, 0, swept.stderr)
            for problem in problems:
                columns = castbench.sweep(config, problem=problem)
                self.same_as_the_program(columns, Path(directory, problem + ".csv"))
                self.assertEqual(columns, castbench.sweep(text, problem=problem, jobs=1))
                self.assertEqual(columns, castbench.sweep(path, problem=problem))
                self.assertEqual(columns, castbench.sweep(str(path), problem=problem))
        statuses = castbench.sweep(config, problem="broadcast")["status"]
        self.assertEqual(set(statuses), {"ok", "not_applicable"})

    def test_columns_have_one_type(self):
        meshes = castbench.sweep(everywhere(), problem="mesh-multicast")
        trees = castbench.sweep(everywhere(), problem="logp-multicast")
        for columns, kind in (meshes, Fraction), (trees, int):
            for name in "lower_bound", "analytic", "simulated":
                self.assertLessEqual(set(map(type, columns[name])), {kind, type(None)}, name)
        self.assertEqual(set(map(type, trees["machine"])), {type(None)})

    def test_frames_are_made_of_columns(self):
        columns = castbench.sweep(everywhere(), problem="mesh-multicast")
        for library in "pandas", "polars":
            with self.subTest(library):
                if importlib.util.find_spec(library) is None:
                    self.skipTest(library + " is not installed")
                frame = importlib.import_module(library).DataFrame(columns)
                self.assertEqual(list(frame.columns), list(columns))
                self.assertEqual(list(frame["algorithm"]), columns["algorithm"])
                self.assertEqual(list(map(float, frame["lower_bound"])), list(map(float, columns["lower_bound"])))

    def test_values_of_an_axis_are_any_whole_numbers(self):
        tree = {"name": "tree", "algorithms": ["halving"], "L": [6], "o": [2], "g": [4]}

        def ranks(values):
            return castbench.sweep({"schema": 1, "grid": [{**tree, "K": values}]})["K_nodes"]

        five = Index(5)
        accepted = [
            (range(4, 20, 3), [4, 7, 10, 13, 16, 19]),
            (range(19, 3, -3), [4, 7, 10, 13, 16, 19]),
            (range(7, 8), [7]),
            ((4, five), [4, 5]),
            (five, [5]),
            (iter([5, 4]), [4, 5]),
            ("4..6", [4, 5, 6]),
        ]
        refused = [(4.0, "floating point"), ([4.0], "floating point"), (range(4, 4), "no usable values"), (True, "boolean")]
        refused += [([2**63], "whole number below"), ([None], "whole number below"), ([[4]], "sequence")]
        if importlib.util.find_spec("numpy"):
            import numpy

            accepted += [
                (numpy.arange(4, 7), [4, 5, 6]),
                (numpy.int64(5), [5]),
                ([numpy.uint8(5)], [5]),
                (numpy.array(5), [5]),
            ]
            refused += [(numpy.array([4.0]), "floating point"), (numpy.float32(4), "float32"), ([numpy.True_], "bool")]
        for values, expected in accepted:
            with self.subTest(values=values):
                self.assertEqual(ranks(values), expected)
        for values, message in refused:
            with self.subTest(values=values), self.assertRaisesRegex(ValueError, message):
                ranks(values)

    def test_the_progress_is_called_up_to_the_last_point(self):
        calls = []
        grid = {"name": "trees", "algorithms": ["halving"], "L": [6], "o": [2], "g": [4], "K": range(1, 2001)}
        castbench.sweep({"schema": 1, "grid": [grid]}, progress=lambda done, total: calls.append((done, total)))
        self.assertEqual(calls[-1], (2000, 2000))
        self.assertEqual(sorted(calls), calls)
        with self.assertRaisesRegex(LookupError, "of the caller"):
            castbench.sweep({"schema": 1, "grid": [grid]}, progress=fail)
        castbench.sweep({"schema": 1, "grid": [grid]}, progress=False)
        self.assertRaises(TypeError, castbench.sweep, {"schema": 1, "grid": [grid]}, progress=3)

    def test_a_terminal_shows_a_bar(self):
        terminal, end = pty.openpty()
        grid = {"name": "trees", "algorithms": ["halving"], "L": 6, "o": 2, "g": 4, "K": "1..2000"}
        sweep = f"castbench.sweep({ {'schema': 1, 'grid': [grid]} })"
        shown = subprocess.Popen(
            [sys.executable, "-c", "import castbench; " + sweep], stderr=end, env={**os.environ, "TERM": "xterm"}
        )
        os.close(end)
        text = b""
        # Linux ends the other end of a closed terminal with an error.
        with contextlib.suppress(OSError):
            while part := os.read(terminal, 1 << 16):
                text += part
        os.close(terminal)
        self.assertEqual(shown.wait(), 0)
        self.assertIn(b"points", text)

    def test_another_thread_interrupts_a_sweep_within_a_point(self):
        """Hours: the point is one cell of the sweep, which looks for a stop between cells only. The next sweep is another."""
        script = """if True:
            import castbench, signal, threading
            signal.signal(signal.SIGINT, signal.default_int_handler)
            grid = {"name": "long", "algorithms": ["dual-path"], "n": 8, "K": 20, "trials": 10**9}
            try:
                threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
                castbench.sweep({"schema": 1, "limits": {"simulate_up_to_hops": 10**12}, "grid": [grid]})
            except KeyboardInterrupt:
                print("interrupted", castbench.sweep({"schema": 1, "grid": [{**grid, "trials": 4}]})["trials"])
        """
        printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual((printed.stdout, printed.stderr), ("interrupted [4]\n", ""))


class Index:
    """A whole number as numpy has them."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def fail(*_):
    raise LookupError("of the caller")


PROFILE = {
    "schema": 1,
    "name": "mine",
    "L": {"ns": 1000, "origin": "guessed"},
    "o": {"value": "200ns", "origin": "guessed"},
    "g": "0.3us",
    "G": "80ps",
}


class Profiles(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name, "mine.toml")
        self.write(PROFILE)

    def write(self, profile):
        """Keys in the order of the dict's TOML."""
        texts = {key: inline(value) if isinstance(value, dict) else json.dumps(value) for key, value in profile.items()}
        self.path.write_text("".join(f"{key} = {texts[key]}\n" for key in sorted(texts)))

    def test_a_dict_is_the_profile_that_a_file_is(self):
        point = {"bytes": "64KiB", "K": 8}
        as_file = castbench.cost("halving", machine=self.path, **point)
        self.assertEqual(castbench.cost("halving", machine=PROFILE, **point), as_file)
        self.assertEqual(as_file["parameters"]["machine"], "mine")
        self.assertEqual(
            castbench.schedule("halving", machine=PROFILE, **point), castbench.schedule("halving", machine=self.path, **point)
        )
        self.assertEqual(castbench.best(machine=PROFILE, **point), castbench.best(machine=self.path, **point))
        grid = {"name": "sizes", "algorithms": ["halving"], "bytes": ["64KiB"], "K": 8}
        rows = castbench.sweep({"schema": 1, "grid": [{**grid, "machines": [PROFILE, "ethernet100-switched"]}]})
        self.assertEqual((rows["machine"], rows["analytic"][0]), (["mine", "ethernet100-switched"], as_file["analytic"]))
        self.assertEqual(
            castbench.sweep({"schema": 1, "grid": [{**grid, "machines": PROFILE}]})["analytic"], [as_file["analytic"]]
        )

    def test_ranks_that_are_near_or_far(self):
        node = {"name": "node", "ranks": 4, "L": "300ns", "o": "100ns", "g": "50ns", "G": "20ps"}
        self.path.write_text(self.path.read_text() + f"level = [{inline(node)}]\n")
        point = {"bytes": "64KiB", "K": 8}
        flat = castbench.cost("allreduce-ring", machine=PROFILE, c=30, **point)
        cost = castbench.cost("allreduce-ring", machine=self.path, c=30, **point)
        self.assertIsNone(cost["analytic"])
        self.assertLess(cost["simulated"], flat["simulated"])
        as_dict = castbench.cost("allreduce-ring", machine={**PROFILE, "level": [node]}, c=30, **point)
        self.assertEqual(as_dict, cost)
        grid = {"name": "far", "algorithms": ["allreduce-ring"], "bytes": ["64KiB"], "K": 8, "c": 30}
        rows = castbench.sweep({"schema": 1, "grid": [{**grid, "machines": [str(self.path)]}]})
        self.assertEqual(rows["simulated"], [cost["simulated"]])
        (best,) = castbench.best(machine=self.path, **point)
        self.assertTrue(best["algorithm"].startswith("broadcast-"), best)

    def test_a_wrong_profile_has_the_message_of_a_file(self):
        for wrong in {"G": -1}, {"speed": 3}, {"name": "=x"}, {"schema": 2}, {"L": 3.5}:
            with self.subTest(**wrong):
                profile = {**PROFILE, **wrong}
                self.write(profile)
                point = {"bytes": "64KiB", "K": 8}
                calls = [lambda: castbench.cost("halving", machine=self.path, **point)]
                calls += [lambda: castbench.cost("halving", machine=profile, **point)]
                calls += [lambda: castbench.best(machine=profile, **point)]
                calls += [lambda: castbench.import_goal("num_ranks 1\nrank 0 {\n}\n", machine=profile)]
                messages = set()
                for call in calls:
                    with self.assertRaises(ValueError) as raised:
                        call()
                    messages.add(str(raised.exception).replace(str(self.path), "machine-1.toml").splitlines()[0])
                self.assertEqual(len(messages), 1, messages)


class Answers(unittest.TestCase):
    """What the verbs of the program print as JSON."""

    def test_best_is_that_of_the_program(self):
        machine = ["--machine", "ethernet100-switched"]
        for problem, typed, options in (
            ("broadcast", [*machine, "-K", "4,8", "--bytes", "1KiB", "--ports", "duplex"], {"K": [4, 8], "bytes": "1KiB", "ports": "duplex"}),
            (
                "allreduce",
                [*machine, "-K", "4..8", "--bytes", "1KiB", "--only"],
                {"K": range(4, 9), "bytes": 1024, "only": True},
            ),
        ):
            printed = program("best", "--problem", problem, *typed, "--format", "json")
            expected = json.loads(printed.stdout)
            self.assertTrue(expected)
            self.assertEqual(castbench.best(problem, machine="ethernet100-switched", **options), expected)
        csv_text = castbench.best(machine="ethernet100-switched", K=4, bytes="1KiB", only=False, within=None, format="csv")
        self.assertEqual(csv_text, program("best", *machine, "-K", "4", "--bytes", "1KiB", "--format", "csv").stdout)
        meshes = castbench.best("mesh-multicast", n=4, K=3)[0]
        self.assertEqual((meshes["cost"], meshes["lower_bound"]), (Fraction(4691, 910), Fraction(2164, 455)))

    def test_sizes_of_blocks(self):
        point = {"L": 6, "o": 2, "g": 4, "K": 3, "n": 10}
        costs = {}
        for counts, text in ("even", "even"), ("one-large", "one-large"), ("3,1,4", "3,1,4"), ([3, 1, 4], "3,1,4"):
            with self.subTest(counts=counts):
                answer = castbench.cost("allgather-ring", **point, counts=counts)
                line = [*typed("allgather-ring", point), "--counts", text, "--format", "json"]
                self.assertEqual(answer["analytic"], json.loads(program("cost", *line).stdout)["analytic"])
                self.assertEqual(answer["parameters"]["counts"], text)
                costs[text] = answer["analytic"]
                best = castbench.best("allgather", **point, counts=[counts] if isinstance(counts, list) else counts)
                line = ["--problem", "allgather", *options(point), "--counts", text, "--format", "json"]
                self.assertEqual(best, json.loads(program("best", *line).stdout))
        grid = {"name": "sizes", "algorithms": ["allgather-ring"], **{axis: [value] for axis, value in point.items()}}
        swept = castbench.sweep({"schema": 1, "grid": [{**grid, "counts": ["even", "one-large", [3, 1, 4]]}]})
        self.assertEqual(dict(zip(swept["counts"], swept["analytic"])), costs)
        with self.assertRaisesRegex(ValueError, "expected K = 3 counts, got 2"):
            castbench.cost("allgather-ring", **point, counts=[3, 1])

    def test_best_draws_and_warns(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "map.svg")
            castbench.best(machine="ethernet100-switched", K=[4, 8], bytes=["1KiB", "1MiB"], svg=path)
            self.assertTrue(path.read_text().startswith("<svg"))
        valid = {**PROFILE, "valid": {"bytes": ["1KiB..2KiB"], "within_percent": 5}}
        with self.assertWarnsRegex(UserWarning, "profile `mine` is valid for"):
            castbench.best(machine=valid, K=4, bytes="1MiB")

    def test_crossovers_are_those_of_the_program(self):
        typed = "--algorithms broadcast-binomial,broadcast-chain --machine ethernet100-switched -K 4,8 --along bytes --from 200 --to 4000"
        expected = json.loads(program("best", *typed.split(), "--format", "json").stdout)
        found = castbench.best(
            algorithms=["broadcast-binomial", "broadcast-chain"],
            machine="ethernet100-switched", K=[4, 8], along="bytes", from_=200, to=4000,
        )
        self.assertEqual(found, expected)
        self.assertGreater(len(found), 2)

    def test_import_is_that_of_the_program(self):
        text = program("export", "goal", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8").stdout
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "optimal.goal")
            path.write_text(text)
            printed = program("cost", "--ends", str(path), "-L", "6", "-o", "2", "-g", "4", "--format", "json")
            answer = castbench.import_goal(text, L=6, o=2, g=4)
            self.assertEqual(answer, json.loads(printed.stdout))
            self.assertEqual(answer["finish"], castbench.cost("optimal", L=6, o=2, g=4, K=8)["analytic"])
            self.assertEqual(castbench.import_goal(path, L=6, o=2, g=4), answer)
            self.assertEqual(castbench.import_goal(str(path), L=6, o=2, g=4), answer)
        with self.assertRaisesRegex(ValueError, "^schedule.goal:1:"):
            castbench.import_goal("nonsense\n", L=6, o=2, g=4)
        with self.assertRaisesRegex(ValueError, "needs -L, -o, -g"):
            castbench.import_goal(text)

    def test_options_that_do_not_exist(self):
        goal = "num_ranks 1\nrank 0 {\n}\n"
        for call in (
            lambda: castbench.best(q=3),
            lambda: castbench.import_goal(goal, q=3),
            lambda: castbench.figure(x="K", q=3),
        ):
            with self.assertRaisesRegex(ValueError, "unexpected argument '--?q' found$"):
                call()
        with self.assertRaisesRegex(ValueError, "^invalid value 'none' for '--problem"):
            castbench.best("none")

    def test_trees_cost_what_the_catalogue_says(self):
        machine = {"L": 6, "o": 2, "g": 4}
        for name in "flat", "halving", "optimal":
            events = castbench.schedule(name, **machine, K=18)
            sends = [
                (node, peer) for node, what, peer in zip(events["node"], events["what"], events["peer"]) if what == "send"
            ]
            known = castbench.cost(name, **machine, K=18)
            told = castbench.tree(sends, **machine)
            self.assertEqual((told["cost"], told["simulated"]), (known["analytic"], known["simulated"]))
            self.assertEqual(
                (told["lower_bound"], max(told["held"]), len(told["held"])), (known["lower_bound"], told["cost"], 18)
            )
            children = {}
            for sender, receiver in sends:
                children.setdefault(sender, []).append(receiver)
            self.assertEqual(castbench.tree(children, **machine, K=18, source=1), told)
        self.assertEqual(castbench.tree({}, **machine)["cost"], 0)
        self.assertEqual(castbench.tree({2: [1]}, **machine, source=2)["held"], [10, 0])

    def test_wrong_trees(self):
        for sends, others, message in (
            ([(1, 2), (1, 2)], {}, "node 2 gets the message a second time"),
            ([(1, 2)], {"K": 3}, "1 of 3 nodes never get the message"),
            ({1: [1]}, {}, "node 1 sends to itself"),
            ([(1, -2)], {}, "node -2: expected 1 to K"),
            ([(1, 2)], {"source": 7}, "not one of the nodes 1 to 2"),
            ([(1, 2)], {"L": -6}, "-L -6: expected a whole number"),
        ):
            with self.subTest(sends, **others), self.assertRaisesRegex(ValueError, message):
                castbench.tree(sends, **{"L": 6, "o": 2, "g": 4, **others})
        self.assertRaises(TypeError, castbench.tree, [(1, 2.0)], L=6, o=2, g=4)


class Frames(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_numbers_stay_exact(self):
        large = 2**60 + 1
        frame = castbench.frame({
            "whole": [1, large], "missing": [large, None], "huge": [2**63, 1], "fraction": [Fraction(3), Fraction(1, 3)],
            "mean": [Fraction(4), None], "text": ["a", "b"], "float": [0.5, None],
        })
        kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
        numbers = {name: kinds[name] for name in ("whole", "missing", "huge", "fraction", "mean", "float")}
        self.assertEqual(numbers, {
            "whole": "int64", "missing": "Int64", "huge": "uint64", "fraction": "object", "mean": "Int64", "float": "float64",
        })
        self.assertEqual((frame["missing"][0], frame["whole"][1], frame["fraction"][1]), (large, large, Fraction(1, 3)))
        grid = {"name": "trees", "algorithms": ["halving", "optimal"], "L": 6, "o": 2, "g": 4, "K": range(2, 9)}
        columns = castbench.sweep({"schema": 1, "grid": [grid]})
        costs = castbench.frame(columns)
        self.assertEqual(str(costs["analytic"].dtype), "int64")
        self.assertEqual(list(costs["analytic"]), columns["analytic"])


class Figures(unittest.TestCase):
    GRID = {"name": "trees", "algorithms": ["halving", "optimal"], "L": [6], "o": [2], "g": [4], "K": range(2, 33)}

    def test_a_figure_is_that_of_the_program(self):
        config = {"schema": 1, "grid": [self.GRID]}
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "config.toml")
            path.write_text(
                "schema = 1\n[[grid]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in listed(self.GRID))
            )
            results, svg, own = (Path(directory, name) for name in ("results", "figure.svg", "own.svg"))
            self.assertEqual(program("sweep", path, "--out", results).returncode, 0)
            drawn = program(
                "figures", "--from", results, "--x", "K", "--over", "optimal", "--log", "x,y", "--at", "L=6,o=2", "--out", svg
            )
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
            options = {"x": "K", "over": "optimal", "log": ["x", "y"], "at": {"L": 6, "o": 2}}
            for source in config, path, results, str(results):
                self.assertEqual(castbench.figure(source, **options, out=own), svg.read_text())
                self.assertEqual(own.read_text(), svg.read_text())

    def test_a_figure_for_a_page(self):
        page = {"width": "88mm", "font_size": "7pt", "font": "DejaVu Serif", "no_title": True}
        svg = castbench.figure({"schema": 1, "grid": [self.GRID]}, x="K", **page)
        self.assertIn('width="88.00mm"', svg)
        self.assertIn("DejaVu Serif", svg)

    def test_a_figure_as_pdf(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "figure.pdf")
            svg = castbench.figure({"schema": 1, "grid": [self.GRID]}, x="K", out=path)
            self.assertTrue(svg.startswith("<svg"))
            self.assertTrue(path.read_bytes().startswith(b"%PDF"))

    def test_wrong_figures(self):
        for options, message in (
            ({"x": "q"}, "--x: there is no axis `q`"),
            ({"x": "m"}, "the sweep in the configuration has no rows with the axes m"),
            ({"x": "K", "y": "q"}, "invalid value 'q' for '--y"),
            ({"x": "K", "out": "x.gif"}, "expected a file name that ends in .svg"),
            ({"x": "K", "caption": "x.txt"}, "caption: figure\\(\\) writes no caption"),
        ):
            with self.subTest(**options), self.assertRaisesRegex(ValueError, message):
                castbench.figure({"schema": 1, "grid": [self.GRID]}, **options)


def listed(grid):
    return [(key, list(value) if isinstance(value, range) else value) for key, value in grid.items()]


def inline(grid):
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in grid.items()) + " }"


class Schedules(unittest.TestCase):
    def same_as_the_program(self, columns, *arguments):
        printed = program("export", "csv", *arguments)
        header, *rows = csv.reader(printed.stdout.splitlines())
        # The program says the rule of ports on stderr; the columns have it.
        ports = columns.pop("ports", [])
        stated = [line.split(" ")[0] for line in printed.stderr.splitlines() if line.split(" ")[1] == "ports,"]
        self.assertEqual(ports, stated * len(rows))
        self.assertEqual(list(columns), header)
        texts = [["" if value is None else str(value) for value in row] for row in zip(*columns.values())]
        self.assertEqual(texts, rows)
        self.assertTrue(rows)

    def test_events_are_those_of_the_program(self):
        for entry in castbench.algorithms():
            with self.subTest(entry["algorithm"]):
                name, example = entry["algorithm"], entry["example"]
                self.same_as_the_program(castbench.schedule(name, **example), *typed(name, example))

    def test_nothing_is_printed(self):
        """The rule of ports and warnings are parts of the answer."""
        asked = "import castbench, warnings; warnings.simplefilter('ignore'); "
        asked += "events = castbench.schedule('broadcast-binomial', L=6, o=2, g=4, K=3, n=2, ports='duplex'); "
        asked += "print(*set(events['ports'])); castbench.schedule('broadcast-flat', machine='ethernet100-switched', bytes=8, K=4)"
        printed = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
        self.assertEqual((printed.stdout, printed.stderr), ("duplex\n", ""))
        with self.assertWarnsRegex(UserWarning, "^o = g = 0 on `ethernet100-switched`"):
            castbench.schedule("broadcast-flat", machine="ethernet100-switched", bytes=8, K=4)

    def test_nodes_of_a_mesh_are_pairs(self):
        columns = castbench.schedule("dual-path", mesh=(4, 3), source=(1, 1), to=[(0, 0), "3,2"])
        typed = ["dual-path", "--mesh", "4x3", "--source", "1,1", "--to", "0,0", "--to", "3,2"]
        self.same_as_the_program(columns, *typed)


class Given(unittest.TestCase):
    """Algorithms whose plans a function makes."""

    point = {"L": 6, "o": 2, "g": 4, "c": 1, "K": 4, "n": 16}

    def test_a_plan_is_an_algorithm_everywhere(self):
        def plan(point):
            pairs = [[(rank, rank ^ distance) for rank in range(point["K"])] for distance in (1, 2)]
            return {"rounds": [[{"from": a, "to": b, "combine": True} for a, b in pair] for pair in pairs]}

        castbench.algorithm("python-doubling", problem="allreduce", plan=plan)
        known = castbench.cost("allreduce-recursive-doubling", **self.point)
        self.assertEqual(castbench.cost("python-doubling", **self.point)["simulated"], known["simulated"])
        grid = {"name": "g", "algorithms": ["python-doubling"], **{**self.point, "n": [16, 32]}}
        rows = castbench.sweep({"schema": 1, "grid": [grid]})
        self.assertEqual(rows["simulated"][0], known["simulated"])
        best = castbench.best("allreduce", algorithms=["python-doubling", "allreduce-ring"], **{**self.point, "n": 1})
        self.assertEqual(best[0]["algorithm"], "python-doubling")

    def test_what_is_wrong_is_raised(self):
        class Own(Exception):
            pass

        def failing(point):
            raise Own(point["K"])

        castbench.algorithm("python-failing", problem="allreduce", plan=failing)
        with self.assertRaises(Own) as raised:
            castbench.cost("python-failing", **self.point)
        self.assertEqual(raised.exception.args, (4,))
        grid = {"name": "g", "algorithms": ["python-failing"], **self.point}
        with self.assertRaises(Own):
            castbench.sweep({"schema": 1, "grid": [grid]})
        # The name can be given again.
        castbench.algorithm("python-failing", problem="allreduce", plan=lambda point: {"rounds": []})
        with self.assertRaisesRegex(RuntimeError, "misses the contribution"):
            castbench.cost("python-failing", **self.point)
        for name, problem, formula in [("allreduce-ring", "allreduce", None), ("a b", "allreduce", None), ("x", "gossip", None), ("x", "scan", "2 +")]:
            with self.assertRaises(ValueError):
                castbench.algorithm(name, problem=problem, plan=failing, formula=formula)


class Mistakes(unittest.TestCase):
    def test_messages_are_those_of_the_program(self):
        machine = {"L": 6, "o": 2, "g": 4}
        for name, parameters in (
            ("fibonaci", {"K": 3}),
            ("fibonacci", {"K": 3}),
            ("fibonacci", {**machine, "K": 0}),
            ("fibonacci", {**machine, "K": -3}),
            ("fibonacci", {**machine, "K": 2.5}),
            ("fibonacci", {**machine, "K": True}),
            ("fibonacci", {**machine, "K": 10**30}),
            ("fibonacci", {**machine, "K": 3, "m": 2}),
            ("fibonacci", {**machine, "K": 3, "machine": "ethernet100-switched"}),
            ("fibonacci", {"K": 3, "machine": "none-such"}),
            ("dual-path", {"mesh": "8x", "K": 3}),
            ("broadcast-scatter-ring", {**machine, "K": 7, "n": 64, "k": 1, "m": 7}),
        ):
            with self.subTest(name, **parameters):
                printed = program("cost", name, *options(parameters))
                with self.assertRaises(ValueError) as raised:
                    castbench.cost(name, **parameters)
                self.assertEqual("error: " + str(raised.exception), printed.stderr.rstrip("\n"))

    def test_unknown_parameters(self):
        with self.assertRaisesRegex(ValueError, "`fibonacci` has no parameter `q`; it reads .*, K, source"):
            castbench.cost("fibonacci", q=3)
        with self.assertRaises(ValueError):
            castbench.schedule("fibonacci", q=3)

    def test_configurations(self):
        grid = {"name": "x", "algorithms": ["fibonacci"], "L": [6], "o": [2], "g": [4], "K": [3]}
        for config, message in (
            ("none-such.toml", "cannot read the configuration `none-such.toml`"),
            ("schema = 1\ngrid = 3\n", "configuration:2"),
            ({"schema": 1, "grid": [{**grid, "q": [3]}]}, "unknown field `q`"),
            ({"schema": 1, "grid": [{**grid, "K": [0]}]}, "K = 0 is invalid at every point of grid `x`"),
            ({"schema": 1, "grid": [{**grid, "K": [None]}]}, "is not TOML"),
            ({"schema": 1, "grid": []}, "no grid has a point"),
            (everywhere(), 'name one, as problem="'),
        ):
            with self.subTest(message), self.assertRaises(ValueError) as raised:
                castbench.sweep(config)
            self.assertIn(message, str(raised.exception))
        for jobs in 0, -1, 10**6:
            with self.subTest(jobs=jobs), self.assertRaisesRegex(ValueError, "--jobs"):
                castbench.sweep({"schema": 1, "grid": [grid]}, jobs=jobs)
        with self.assertRaisesRegex(ValueError, "there is no grid of problem `x`"):
            castbench.sweep({"schema": 1, "grid": [grid]}, problem="x")

    def test_limits(self):
        for limits in {"simulate_up_to": "many"}, {"simulate_up_to": -1}, {"simulate_up_to_hops": 2.5}:
            with self.subTest(**limits), self.assertRaisesRegex(ValueError, "--simulate-up-to.* expected a whole number"):
                castbench.cost("fibonacci", L=6, o=2, g=4, K=3, **limits)

    def test_types(self):
        for call in lambda: castbench.cost(3), lambda: castbench.sweep(3), lambda: castbench.cost():
            self.assertRaises(TypeError, call)


class Documents(unittest.TestCase):
    def test_stubs_have_the_same_signatures(self):
        stubs = ast.parse((PYTHON / "castbench.pyi").read_text())
        stubs = {stub.name: stub.args for stub in stubs.body if isinstance(stub, ast.FunctionDef)}
        self.assertEqual(set(stubs), {name for name in castbench.__all__ if callable(getattr(castbench, name))})
        for name, stub in stubs.items():
            function = getattr(castbench, name)
            self.assertTrue(function.__doc__)
            own = list(inspect.signature(function).parameters.values())
            names = [argument.arg for argument in stub.posonlyargs + stub.args + stub.kwonlyargs]
            names += [stub.kwarg.arg] if stub.kwarg else []
            self.assertEqual([parameter.name for parameter in own], names)
            defaults = [parameter.default for parameter in own if parameter.default is not inspect.Parameter.empty]
            stated = [default.value for default in stub.defaults + stub.kw_defaults if default is not None]
            self.assertEqual(defaults, stated)

    def test_documents_show_what_is_printed(self):
        shown = doctest.testmod(castbench).attempted
        for page in "python/README.md", "docs/guide.md":
            results = doctest.testfile(str(PYTHON.parent / page), module_relative=False)
            self.assertEqual(results.failed, 0)
            self.assertGreater(results.attempted, 0, page)
        self.assertGreater(shown, 0)

    def test_the_example_runs(self):
        example = PYTHON / "examples" / "which_broadcast.py"
        printed = subprocess.run([sys.executable, example], capture_output=True, text=True)
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        self.assertEqual(printed.stdout, example.with_suffix(".txt").read_text())

    def test_the_version_is_that_of_the_program(self):
        self.assertEqual(program("--version").stdout.split()[:2], ["castbench", castbench.__version__])


if __name__ == "__main__":
    unittest.main()
