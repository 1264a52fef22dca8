"""Lists of names cost nothing, and what they name loads no library before it works."""

from tests.support.processes import run_python

HEAVY = ("numpy", "PIL", "ortools", "pysat", "av", "py_fumen_py", "rich")


def test_everything_registered_loads_without_the_libraries_it_needs() -> None:
    code = (
        "import sys\n"
        "from tetrisprinter.formats import FORMATS\n"
        "from tetrisprinter.packings.finders import FINDERS\n"
        "from tetrisprinter.planners import PLANNERS\n"
        "from tetrisprinter.render import RENDERERS\n"
        "names = [*FORMATS, *FINDERS, *RENDERERS, *PLANNERS]\n"
        "assert 'tetrisprinter.render.page' not in sys.modules\n"
        "things = [*FORMATS.values(), *FINDERS.values(), *RENDERERS.values()]\n"
        "things += [*PLANNERS.values()]\n"
        "assert len(names) == len(things) > 10\n"
        "assert 'tetrisprinter.render.page' in sys.modules\n"
        f"print(*(set({HEAVY!r}) & sys.modules.keys()))\n"
    )
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
