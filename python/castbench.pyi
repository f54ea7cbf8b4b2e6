from collections.abc import Sequence
from fractions import Fraction
from os import PathLike
from typing import Any, Literal, TypedDict, Union, type_check_only

__version__: str
__all__ = ["__version__", "algorithms", "cost", "problems", "schedule", "sweep"]

_Value = Union[int, str, tuple[int, int], PathLike[str], None]
_Exact = Union[int, Fraction]

@type_check_only
class _Cost(TypedDict):
    algorithm: str
    parameters: dict[str, Union[int, str]]
    lower_bound: _Exact
    published: Union[int, None]
    analytic: Union[_Exact, None]
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
    config: Union[str, PathLike[str], dict[str, Any], None] = None,
    *,
    problem: Union[str, None] = None,
    jobs: Union[int, None] = None,
) -> dict[str, list[Any]]: ...
