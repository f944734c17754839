#!python
"""What is installed as `jurat`: it clears the path of the checkout's own code, then runs Jurat.

A console-script entry point imports the package before any line of ours has run, and imports it
from wherever the path says first: with PYTHONPATH=. in the checkout that is reviewed, from there.
So this is a script of its own, and until the path is clear it imports what the interpreter has
loaded or frozen already, which no folder can shadow.

An entry of the path goes if PYTHONPATH names it relative to the working directory, or if it lies
inside the checkout around the working directory, by its name or by what its links lead to. Three
stay wherever they lie, so that a virtual environment in the checkout goes on working:

- the standard library and the site-packages of the interpreter that runs this;
- if the package is in none of the entries that stay, the folder that the installation gives for it:
  a user's site-packages, or the source folder of an editable install that is run from its checkout.

The processes that Jurat starts inherit this: PYTHONPATH without what went, and PYTHONSAFEPATH,
because `python -c`, which starts the parsers' workers, would look in the working directory first.

What the interpreter imports before its program (encodings, sitecustomize, what a .pth file names)
is out of reach here: see docs/threat-model.md.
"""

import os
import site
import sys

_PACKAGE = "jurat"
_INCOMPLETE = 3  # jurat.errors.ExitCode.INCOMPLETE: 1 would say that there are findings


def clear_path() -> None:
    """Take the checkout's entries out of this process's path and of its children's."""
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder of this script, which holds programs
    checkout = _find_checkout()
    named = [entry for entry in os.environ.pop("PYTHONPATH", "").split(os.pathsep) if entry]
    trusted = [entry for entry in named if os.path.isabs(entry) and not _within(entry, checkout)]
    if trusted:
        os.environ["PYTHONPATH"] = os.pathsep.join(trusted)
    os.environ["PYTHONSAFEPATH"] = "1"

    # `site` has made the entries of the path absolute. An empty one in PYTHONPATH is the working
    # directory, and so within the checkout.
    refused = {os.path.abspath(entry) for entry in named if entry not in trusted}
    own = _own_folders()
    stays = [
        entry
        for entry in sys.path
        if _real(entry) in own or not (entry in refused or _within(entry, checkout))
    ]
    if not any(map(_holds_package, stays)):
        given = (entry for entry in sys.path if entry not in refused and _holds_package(entry))
        stays.extend(list(given)[:1])
    sys.path[:] = stays


def _find_checkout() -> str | None:
    """The working directory or the nearest folder around it that is a checkout's root.

    The working directory itself if there is none; None if that was removed.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:
        return None
    folder = here
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, last = os.path.dirname(folder), folder
        if folder == last:
            return here
    return folder


def _within(entry: str, checkout: str | None) -> bool:
    """Whether a folder is the checkout or lies in it, by its name or by where its links lead.

    A relative entry is within, even if there is no working directory any more.
    """
    if not os.path.isabs(entry):
        return True
    if checkout is None:
        return False
    places = (os.path.abspath(entry), _real(entry))
    return any(os.path.commonpath((place, checkout)) == checkout for place in places)


def _own_folders() -> set[str]:
    """The interpreter's own: its standard library, with what is compiled, and its site-packages."""
    library = os.path.dirname(os.__file__)
    compiled = os.path.join(library, "lib-dynload")
    return {_real(folder) for folder in (library, compiled, *site.getsitepackages())}


def _holds_package(entry: str) -> bool:
    return os.path.isfile(os.path.join(entry, _PACKAGE, "__init__.py"))


def _real(entry: str) -> str:
    return os.path.realpath(entry)


def run() -> None:
    """Run the command line; it ends the process."""
    clear_path()
    if not any(map(_holds_package, sys.path)):
        where = "is not installed, or is named by PYTHONPATH in this checkout alone"
        sys.stderr.write(f"jurat: its package {where}. Unset PYTHONPATH, or install it again.\n")
        sys.exit(_INCOMPLETE)
    from jurat.cli.main import main  # noqa: PLC0415 - now, and not before

    main()


# A worker process loads its parent's script again, under another name and with the path as it is.
if __name__ == "__main__":
    run()
