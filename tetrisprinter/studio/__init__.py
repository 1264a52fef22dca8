"""The studio: everything about printing by hand and eye, in the browser.

A small web server for one person, on the person's own machine. What it shows is written by
hand and lies in ``static``; nothing is fetched from anywhere. What takes long is a *job* in a
process of its own (:mod:`~tetrisprinter.studio.worker`), started and watched by
:mod:`~tetrisprinter.studio.jobs`, and kept in a folder (:mod:`~tetrisprinter.studio.store`),
so that neither a reloaded page nor a killed server loses a finished plan. Who may ask at all
is decided in :mod:`~tetrisprinter.studio.guard`; what is asked is read, with one sentence for
whatever cannot be meant, by :mod:`~tetrisprinter.studio.asking`. ``docs/studio.md`` tells how
it is used.

Words: docs/glossary.md
"""
