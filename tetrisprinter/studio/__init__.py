"""The studio prints pictures in the browser, by a local web server or as a folder of static files.

The pages are hand-written and lie in ``static``; nothing is fetched from anywhere else. Long work
is a *job* in its own process (:mod:`~tetrisprinter.studio.worker`), which
:mod:`~tetrisprinter.studio.jobs` starts and watches. Jobs are kept in a folder
(:mod:`~tetrisprinter.studio.store`), so a reloaded page or a killed server loses no finished plan.
:mod:`~tetrisprinter.studio.access` decides which requests are allowed, and
:mod:`~tetrisprinter.studio.print_request` reads them. ``docs/studio.md`` describes its use.

Words: docs/glossary.md
"""
