"""What run.py's processes print: one line of JSON for each figure."""

import json


def say(**row):
    print(json.dumps(row), flush=True)
