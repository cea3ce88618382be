#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""answers - checks answers against the schemas that docs/rpc.md prints.

    tests/answers.py NAME FILE...     each FILE is an answer of that name
    tests/answers.py --golden DIR     each record of tests/golden whose verb has an answer

A schema that comes from the same table as the answers cannot find a wrong key by itself;
so it is tested on answers that moorectl printed."""
import json, os, re, sys
import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def answers():
    """Schema and verb by name."""
    with open(os.path.join(ROOT, "docs", "rpc.md")) as f:
        text = f.read()
    found = {}
    for part in text.split("\n### Answer ")[1:]:
        verb = re.search(r"`moorectl (.*) --json`", part)
        schema = json.loads(part.split("```json\n")[1].split("\n```")[0])
        found[part.split("\n")[0]] = (schema, verb.group(1) if verb else None)
    return found


def faults(schema, answer):
    return [("/".join(map(str, e.absolute_path)) or ".") + ": " + e.message[:200]
            for e in jsonschema.Draft202012Validator(schema).iter_errors(answer)]


def unmasked(value):
    """A record with some value of the right type wherever it holds only the type ("~number")."""
    some = {"~null": None, "~boolean": False, "~number": 0, "~string": "", "~array": [], "~object": {}}
    if isinstance(value, dict):
        return {k: unmasked(v) for k, v in value.items()}
    if isinstance(value, list):
        return [unmasked(v) for v in value]
    return some.get(value, value) if isinstance(value, str) else value


def golden(table, path):
    """The faults of one record; None if its verb has no schema.  If a verb has several
    answers, one of them must fit; a failure of any verb must be an error answer."""
    with open(path) as f:
        record = json.load(f)
    words = " ".join(w for w in record["command"].split())
    fitting = [s for s, verb in table.values() if verb and words.startswith(verb.split(" --")[0])]
    if record["exit"] == 2:
        fitting = [table["error"][0]] if "error" in table else []
    if not fitting or words.startswith("call") or record["answer"] is None:
        return None
    answer = {k: unmasked(v) for k, v in record["answer"].items() if k not in ("sweep", "plane", "at_ms")}
    return min((faults(s, answer) for s in fitting), key=len)


def main(words):
    table, checked, bad = answers(), 0, 0
    if words[0] == "--golden":
        paths = sorted(os.path.join(words[1], n) for n in os.listdir(words[1]) if n.endswith(".json"))
    else:
        paths = words[1:]
    for path in paths:
        if words[0] == "--golden":
            wrong = golden(table, path)
        else:
            with open(path) as f:
                wrong = faults(table[words[0]][0], json.load(f))
        checked += wrong is not None
        bad += bool(wrong)
        for w in wrong or []:
            print("%s: %s" % (path, w))
    print("%d answers follow their schemas, %d do not" % (checked - bad, bad))
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
