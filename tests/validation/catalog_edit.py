"""Reads and replaces single numbers in the catalog's JSON files, leaving the rest of the text as it is."""
import json
import os
import re

DECODER = json.JSONDecoder()
NUMBER = re.compile(r'^([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)(.*)$')
SPACE = re.compile(r'\s*')


def after_space(text, at):
    return SPACE.match(text, at).end()


def members(text, at):
    """(key, start of its value) of the object at `at`."""
    at = after_space(text, at + 1)
    while text[at] != '}':
        key, at = DECODER.raw_decode(text, at)
        start = after_space(text, after_space(text, at) + 1)
        yield key, start
        at = after_space(text, DECODER.raw_decode(text, start)[1])
        at = after_space(text, at + 1) if text[at] == ',' else at


def items(text, at):
    """Starts of the values of the array at `at`."""
    at = after_space(text, at + 1)
    while text[at] != ']':
        yield at
        at = after_space(text, DECODER.raw_decode(text, at)[1])
        at = after_space(text, at + 1) if text[at] == ',' else at


def descend(text, at, keys):
    """Start of the value at keys below `at`, None where a key is absent. A number stated as {"value": ...} is entered."""
    for key in keys:
        if text[at] == '[':
            at = list(items(text, at))[int(key)]
        else:
            at = dict(members(text, at)).get(key)
        if at is None:
            return None
    if text[at] == '{':
        return dict(members(text, at)).get('value')
    return at


class Slot:
    """One number of one file: where it stands, its value in the file's own unit, and how to write another."""

    def __init__(self, path, file, text, start):
        self.path, self.file, self.start = path, file, start
        raw, self.end = DECODER.raw_decode(text, start)
        self.quoted = isinstance(raw, str)
        match = NUMBER.match(raw if self.quoted else json.dumps(raw))
        if not match:
            raise SystemExit(f'{path}: {raw!r} in {file} is not a number')
        self.value, self.unit = float(match.group(1)), match.group(2)

    def render(self, value):
        number = f'{value:.4g}{self.unit}'
        return f'"{number}"' if self.quoted else number


class Catalog:
    def __init__(self, root):
        self.root = root
        self.texts = {}

    def text(self, file):
        if file not in self.texts:
            with open(os.path.join(self.root, file), encoding='utf-8') as f:
                self.texts[file] = f.read()
        return self.texts[file]

    def slot(self, path):
        """`devices/NAME/...`, `fabrics/NAME/...` or `runtimes/NAME/...`; a runtime's inherited value is that of the row it extends."""
        kind, name, *keys = path.split('/')
        if kind != 'runtimes':
            file = f'{kind}/{name}.json'
            start = descend(self.text(file), after_space(self.text(file), 0), keys)
            if start is None:
                raise SystemExit(f'{path}: not stated in {file}')
            return Slot(path, file, self.text(file), start)
        file = 'runtimes.json'
        text = self.text(file)
        rows = {json.loads(text[s:DECODER.raw_decode(text, s)[1]])['name']: s
                for s in items(text, descend(text, 0, ['runtimes']))}
        while name in rows:
            start = descend(text, rows[name], keys)
            if start is not None:
                return Slot(path, file, text, start)
            name = dict(members(text, rows[name])).get('extends')
            name = DECODER.raw_decode(text, name)[0] if name is not None else None
        raise SystemExit(f'{path}: not stated in {file}')

    def edited(self, values):
        """{file: new text} for {slot: value}."""
        texts = {}
        for file in sorted({slot.file for slot in values}):
            text = self.text(file)
            for slot in sorted((s for s in values if s.file == file), key=lambda s: -s.start):
                text = text[:slot.start] + slot.render(values[slot]) + text[slot.end:]
            texts[file] = text
        return texts
