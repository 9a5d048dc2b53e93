"""Full-text search: `vectors` makes words of texts, `projection` stores them after commits,
`conditions` makes queries of terms, and `hits` runs them, one partition at a time.
"""
