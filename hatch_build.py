"""The build hook of hatchling: compiles the inner loops for a wheel or an editable install.

If no compiler of the system works, the build requires ``ziglang``, a package with a compiler.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ZIG = "ziglang>=0.13"
_EDITABLE = '''"""Compiles the inner loops of tetrisprinter anew when their source has changed.

Written by the editable install, for which this is.
"""

import sys


class Changes:
    """Looks for changes once, before the first compiled module of a folder is imported."""

    folders = {"tetrisprinter", "tests"}

    @staticmethod
    def find_spec(name, path=None, target=None):
        if "._kernel" in name and name.partition(".")[0] in Changes.folders:
            Changes.folders.remove(name.partition(".")[0])
            sys.path.insert(0, {root!r})
            try:
                from build_kernels import refresh
            finally:
                sys.path.remove({root!r})
            refresh(name.partition(".")[0])
        return None


sys.meta_path.insert(0, Changes)
'''


def _fails(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode != 0


class KernelBuildHook(BuildHookInterface[Any]):
    """A build hook that compiles the kernels."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the package ``ziglang`` as a requirement if no compiler of the system works."""
        sys.path.insert(0, self.root)
        import build_kernels

        fault = build_kernels.explain_missing_compiler()
        if not fault:
            return []
        if "Python.h" in fault:
            self._refuse(fault)
        pip = [sys.executable, "-m", "pip"]
        ask = [*pip, "install", "--dry-run", "--quiet", "--no-deps", "--ignore-installed", ZIG]
        has_pip = not _fails([*pip, "--version"])
        if has_pip and _fails(ask):
            self._refuse(
                f"{fault}, and the package index has no {ZIG}, which would bring one: install a "
                "C compiler (Debian: gcc and python3-dev; macOS: xcode-select --install; Windows: "
                "the Build Tools for Visual Studio), or a wheel of tetrisprinter"
            )
        return [ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels and add the compiled modules to the build."""
        sys.path.insert(0, self.root)
        import build_kernels

        try:
            if version == "editable":
                build_kernels.build_in_place(
                    build_kernels.list_stale(self._list_package_kernels(build_kernels))
                )
                self._install_change_hook(build_data)
            else:
                self._compile(build_kernels, build_data)
        except build_kernels.BuildError as error:
            self._refuse(str(error))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    @staticmethod
    def _list_package_kernels(build_kernels: Any) -> list[Path]:
        """Return the kernels of the package; the tests compile their own."""
        return [k for k in build_kernels.KERNELS if build_kernels.PACKAGE in k.parents]

    def _compile(self, build_kernels: Any, build_data: dict[str, Any]) -> None:
        """Compile changed kernels into a folder; add all compiled modules to the build."""
        self.folder = tempfile.TemporaryDirectory()
        kernels = self._list_package_kernels(build_kernels)
        changed = build_kernels.list_stale(kernels)
        made = build_kernels.build(changed, Path(self.folder.name)) if changed else {}
        for place in (
            *map(build_kernels.get_library_path, kernels),
            *build_kernels.list_shared_modules(),
        ):
            made.setdefault(place, place)
        for place, code in made.items():
            build_data["force_include"][str(code)] = str(place.relative_to(self.root))

    def _install_change_hook(self, build_data: dict[str, Any]) -> None:
        """Add a startup module that recompiles changed kernels before they are imported."""
        self.folder = tempfile.TemporaryDirectory()
        module = Path(self.folder.name) / "_tetrisprinter_changes.py"
        module.write_text(_EDITABLE.replace("{root!r}", repr(self.root)))
        path = Path(self.folder.name) / "_tetrisprinter_changes.pth"
        path.write_text("import _tetrisprinter_changes\n")
        for file in (module, path):
            build_data["force_include_editable"][str(file)] = file.name

    def _refuse(self, why: str) -> None:
        sys.exit(f"tetrisprinter cannot be built: {why}.")
