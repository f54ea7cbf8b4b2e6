from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any, Literal, SupportsIndex, TypedDict, Union, type_check_only

__version__: str
__all__ = ["__version__", "algorithm", "algorithms", "best", "cost", "figure", "frame", "import_goal", "problems", "schedule", "sweep", "tree"]

_Profile = dict[str, Any]
_Value = Union[SupportsIndex, str, tuple[int, int], PathLike[str], _Profile, None]
_Option = Union[_Value, bool, Iterable[Union[SupportsIndex, str]]]
_Config = Union[str, PathLike[str], dict[str, Any], None]
_Progress = Union[Callable[[int, int], Any], Literal[False], None]
_Exact = Union[int, Fraction]

@type_check_only
class _Cost(TypedDict):
    algorithm: str
    parameters: dict[str, Union[int, str]]
    lower_bound: _Exact
    published: Union[int, None]
    analytic: Union[_Exact, None]
    analytic_by: Union[str, None]
    simulated: Union[_Exact, None]

@type_check_only
class Cost(_Cost, total=False):
    ended: _Exact

@type_check_only
class Algorithm(TypedDict):
    algorithm: str
    problem: str
    axes: list[str]
    summary: str
    paper: str
    place: str
    example: dict[str, Union[int, str]]

@type_check_only
class Axis(TypedDict):
    axis: str
    columns: list[str]
    kind: Literal["count", "time", "bytes", "sides", "profile"]
    default: Union[int, None]
    meaning: str

@type_check_only
class Problem(TypedDict):
    problem: str
    title: str
    axes: list[Axis]
    algorithms: list[str]

@type_check_only
class Tree(TypedDict):
    cost: int
    simulated: int
    lower_bound: int
    held: list[int]

def algorithms() -> list[Algorithm]: ...
def problems() -> list[Problem]: ...
def cost(
    algorithm: str,
    /,
    *,
    simulate_up_to: Union[int, None] = None,
    simulate_up_to_hops: Union[int, None] = None,
    **parameters: _Value,
) -> Cost: ...
def schedule(
    algorithm: str,
    /,
    *,
    to: Union[Sequence[Union[tuple[int, int], str]], None] = None,
    **parameters: _Value,
) -> dict[str, list[Any]]: ...
def sweep(
    config: _Config = None,
    *,
    problem: Union[str, None] = None,
    jobs: Union[int, None] = None,
    progress: _Progress = None,
) -> dict[str, list[Any]]: ...
def figure(
    results: _Config = None,
    *,
    x: str,
    out: Union[str, PathLike[str], None] = None,
    jobs: Union[int, None] = None,
    progress: _Progress = None,
    **options: _Option,
) -> str: ...
def frame(columns: Mapping[str, Sequence[Any]], /) -> Any: ...
def best(problem: Union[str, None] = None, /, *, format: str = "json", **options: _Option) -> Any: ...
def algorithm(
    name: str,
    /,
    *,
    problem: str,
    plan: Callable[[dict[str, Any]], Union[str, dict[str, Any]]],
    formula: Union[str, None] = None,
) -> None: ...
def import_goal(goal: Union[str, PathLike[str]], /, **options: _Option) -> dict[str, Any]: ...
def tree(
    sends: Union[Mapping[int, Iterable[int]], Iterable[tuple[int, int]]],
    /,
    *,
    L: SupportsIndex,
    o: SupportsIndex,
    g: SupportsIndex,
    K: Union[SupportsIndex, None] = None,
    source: Union[SupportsIndex, None] = None,
) -> Tree: ...
