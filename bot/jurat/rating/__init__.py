"""Rating a repository against regulations: what its code shows, clause by clause."""
