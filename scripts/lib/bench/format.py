"""Says in the JSON of a benchmark which benchmark wrote it.

    format.py NAME FILE
"""

import json
import sys
from pathlib import Path

# Rises when a key of any benchmark goes, or changes its type or its meaning.
VERSION = 1


def with_format(name, figures):
    """The document that holds the figures of a benchmark."""
    if not isinstance(figures, dict):
        figures = {"rows": figures}
    return {"format": {"name": f"rankfold-bench-{name}", "version": VERSION}} | figures


if __name__ == "__main__":
    name, file = sys.argv[1], Path(sys.argv[2])
    document = with_format(name, json.loads(file.read_text()))
    file.write_text(json.dumps(document, indent=1) + "\n")
