"""What memories are made of, and what is made of them.

Enter at `trace.trace_memory`, `trace.impact_of`, `orphans.find_orphans`, `repair` for sources that can be filled in.

A call runs like this: `graph.graph_of` takes the edges from the view, as numbers (`edges`), without what the viewer
may not see; `walk` goes over them level by level, each node once, whatever circles there are; names are read last,
for what is shown.
"""
