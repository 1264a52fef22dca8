"""The studio prints pictures in the browser, by a local web server or as a folder of static files.

The pages are hand-written and lie in ``static``; nothing is fetched from anywhere else.
:mod:`~tetrisprinter.studio.app` has the routes and lets only this machine in;
:mod:`~tetrisprinter.studio.prints` reads requests and makes previews. Long work is a *job*
(:mod:`~tetrisprinter.studio.jobs`) in its own process (:mod:`~tetrisprinter.studio.worker`).
:mod:`~tetrisprinter.studio.page` writes the folder, in which
:mod:`~tetrisprinter.studio.page_engine` answers instead of a server. ``docs/studio.md`` describes
its use.

Words: docs/glossary.md
"""
