#!/usr/bin/env python3
"""Cut a full table of published runs down to what the mapping reads.

usage: reduce_runs.py FULL.csv > tests/data/published_runs.csv

Keeps the rows without pipeline or expert parallelism, the columns of profiles/published/run_table.cpp and `source`, and of the
notes only the phrases that the mapping looks for.
"""
import csv
import re
import sys

DROPPED = ('interconnect_intra', 'optimizer', 'vp', 'tokens_per_s_per_gpu')
PHRASES = ('PURE', 'async TP', 'float8 all-gather', 'LoRA', 'MoE', 'experts', 'offloads activations of part of the layers to CPU')


def one(cell):
    return not cell or float(cell) == 1


def main():
    with open(sys.argv[1], newline='', encoding='utf-8') as file:
        reader = csv.DictReader(file)
        columns = [c for c in reader.fieldnames if c not in DROPPED]
        rows = [r for r in reader if one(r['pp']) and one(r['ep'])]
    writer = csv.writer(sys.stdout, lineterminator='\n')
    writer.writerow(columns)
    for row in rows:
        found = (re.search(re.escape(p), row['notes']) for p in PHRASES)
        row['notes'] = '; '.join(m.group(0) for m in found if m)
        writer.writerow([row[c] for c in columns])


if __name__ == '__main__':
    main()
