"""`python -m jurat`: the command, where its script is not at hand.

A worker process loads its parent's main module again, with all that this imports, unless it has
this name. So what is run is not the module that imports the command.
"""

from jurat.cli.main import main

if __name__ == "__main__":
    main()
