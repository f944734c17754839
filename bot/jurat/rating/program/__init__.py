"""What the files of a repository are together: names, entrances, stores, what may run."""
