// Compiles the Python files of a zip by the Python of Pyodide: node bytecode.mjs PYODIDE IN OUT LEVEL
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodideFolder, source, target, level] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodideFolder}/pyodide.mjs`));
// Report a Python error as a short text, without the source of Pyodide that node prints.
process.on("uncaughtException", error => { console.error(String(error.message).slice(-1500)); process.exit(1); });
const pyodide = await loadPyodide({ indexURL: pyodideFolder });
pyodide.FS.writeFile("/source.zip", new Uint8Array(fs.readFileSync(source)));
pyodide.globals.set("level", Number(level));
pyodide.runPython(`
import importlib.util, marshal, zipfile
# A zero flag word, time and size: nothing is compared with a source, as there is none.
HEADER = importlib.util.MAGIC_NUMBER + bytes(12)
with zipfile.ZipFile("/source.zip") as sources, zipfile.ZipFile("/target.zip", "w") as target:
    for name in sources.namelist():
        data = sources.read(name)
        if name.endswith(".py"):
            # A short name in tracebacks, and the same bytecode wherever it was compiled.
            code = compile(data, name, "exec", dont_inherit=True, optimize=level)
            data, name = HEADER + marshal.dumps(code), name + "c"
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        target.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
`);
fs.writeFileSync(target, pyodide.FS.readFile("/target.zip"));
