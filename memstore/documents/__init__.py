"""Values as JSON documents, as `schemas/` publishes them."""
