"""The build hook of hatchling: compiles the inner loops for a wheel or an editable install.

If no compiler of the system works, the build requires ``ziglang``, a package with a compiler.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelBuildHook(BuildHookInterface[Any]):
    """A build hook that compiles the kernels."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the package ``ziglang`` as a requirement if no compiler of the system works."""
        fault = self._import_builder().explain_missing_compiler()
        if "Python.h" in fault:  # no compiler helps
            sys.exit(f"tetrisprinter cannot be built: {fault}.")
        return ["ziglang>=0.13"] if fault else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the changed kernels of the package; add all compiled modules to a wheel."""
        builder = self._import_builder()
        kernels = [kernel for kernel in builder.KERNELS if builder.PACKAGE in kernel.parents]
        changed = builder.list_stale(kernels)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        try:
            if version == "editable":
                builder.build_in_place(changed)
                return
            self.folder = tempfile.TemporaryDirectory()
            made = builder.build(changed, Path(self.folder.name)) if changed else {}
        except builder.BuildError as error:
            sys.exit(f"tetrisprinter cannot be built: {error}.")
        unchanged = [*map(builder.get_library_path, kernels), *builder.list_shared_modules()]
        for place, code in (dict(zip(unchanged, unchanged, strict=True)) | made).items():
            build_data["force_include"][str(code)] = str(place.relative_to(self.root))

    def _import_builder(self) -> Any:
        """Return the module that compiles; the build starts in a folder of its own."""
        sys.path.insert(0, self.root)
        import build_kernels

        return build_kernels
