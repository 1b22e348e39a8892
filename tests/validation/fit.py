#!/usr/bin/env python3
"""Fit constants of the catalog to a table of published runs.

usage: fit.py BINARY TABLE.csv [--parameters FILE] [--only NAME,...] [--check] [--cross-validate K] [--write]

BINARY is tests/validation/score_runs of a build. Parameters (fit_parameters.json) name numbers of profiles/catalog by path:

    {"name": "host.nanotron", "paths": ["runtimes/nanotron/host_layer"], "prior": 0.0041, "sigma": 0.3}

All paths of a parameter are scaled together; `prior` (of the first path, in the file's unit; default: what the file says) and
`sigma` are of a log-normal belief. The fit minimises over x = log(value / prior):

    sum over rows  w_s f^2 2 (sqrt(1 + (r / f)^2) - 1) / noise^2  +  sum over parameters (x / sigma)^2,     r = log(predicted / measured)

a soft-L1 loss with f = 0.1; w_s = 1 / sqrt(rows of the source), scaled to a mean of 1, so that a source counts as the root of its
rows. Time (noise 0.06) and memory (noise 0.05) are fitted together. Rows below 5 % MFU are left out, as in the score.
Needs numpy and scipy. Nothing is written without --write.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import re
import shutil
import subprocess
import tempfile

import numpy
from scipy.optimize import least_squares

from catalog_edit import Catalog

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOG = os.path.join(HERE, '..', '..', 'profiles', 'catalog')
SOFT, TIME_NOISE, MEMORY_NOISE, LOWEST_MFU = 0.1, 0.06, 0.05, 0.05
PEAKS = (('GB300', 2500), ('GB200', 2500), ('B300', 2250), ('B200', 2250), ('H200', 989), ('H100', 989), ('A100', 312), ('A800', 312),
         ('V100', 125), ('MI355X', 2516), ('MI350X', 2307), ('MI325X', 1307), ('MI300X', 1307))


def number(cell):
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def in_scope(row):
    """Whether the source's MFU, or the one that follows from its columns, is at least LOWEST_MFU."""
    mfu = number(row['mfu'])
    if mfu is not None:
        return mfu >= LOWEST_MFU
    peak = next((p for k, p in PEAKS if k in row['gpu'].upper()), None)
    if peak and number(row['tflops_per_gpu']):
        return number(row['tflops_per_gpu']) / peak >= LOWEST_MFU
    parts = [number(row[c]) for c in ('n_params', 'seq_len', 'global_batch', 'step_time_s', 'n_gpus')]
    if peak is None or None in parts or 'MoE' in row['notes']:
        return True
    params, seq, batch, time, gpus = parts
    return 6 * params * seq * batch / (time * gpus * peak * 1e12) >= LOWEST_MFU


class Table:
    """Measured values and weights, one entry per measured time or memory figure."""

    def __init__(self, path):
        with open(path, newline='', encoding='utf-8') as f:
            rows = list(csv.DictReader(f))
        self.path = path
        self.points = []  # (row index, column, measured, noise, source, fold group)
        for i, row in enumerate(rows):
            source = row['id'].rsplit('-', 1)[0]
            group = (source, row['model'], row['gpu'], row['n_gpus'])
            if number(row['step_time_s']) and in_scope(row):
                self.points.append((i, 'pred_step_time_s', float(row['step_time_s']), TIME_NOISE, source, group))
            if number(row['peak_mem_gib']):
                self.points.append((i, 'pred_mem_gib', float(row['peak_mem_gib']), MEMORY_NOISE, source, group))

    def residuals(self, predicted):
        """log(predicted / measured), nan where nothing is predicted."""
        return numpy.array([math.log(predicted[i][column] / measured) if predicted[i][column] else math.nan
                            for i, column, measured, *_ in self.points])

    def weights(self, used):
        counts = {}
        for point, take in zip(self.points, used):
            counts[point[4], point[1]] = counts.get((point[4], point[1]), 0) + take
        weights = numpy.array([take / math.sqrt(counts[p[4], p[1]]) if take else 0.0 for p, take in zip(self.points, used)])
        noise = numpy.array([p[3] for p in self.points])
        return weights / weights[weights > 0].mean() / noise**2


class Predictor:
    """Runs BINARY with changed catalogs, one folder per worker."""

    def __init__(self, binary, table, catalog, workers):
        self.binary, self.table, self.catalog = binary, table, catalog
        self.root = tempfile.mkdtemp(prefix='ndtune-fit-')
        self.folders = [os.path.join(self.root, str(i)) for i in range(workers)]
        for folder in self.folders:
            shutil.copytree(catalog.root, os.path.join(folder, 'catalog'))
        self.pool = concurrent.futures.ThreadPoolExecutor(workers)
        self.free = list(self.folders)

    def close(self):
        shutil.rmtree(self.root)

    def one(self, values):
        folder = self.free.pop()
        try:
            for file, text in self.catalog.edited(values).items():
                with open(os.path.join(folder, 'catalog', file), 'w', encoding='utf-8') as f:
                    f.write(text)
            out = os.path.join(folder, 'predictions.csv')
            environment = dict(os.environ, NDTUNE_CATALOG=os.path.join(folder, 'catalog'))
            subprocess.run([self.binary, self.table.path, out], check=True, env=environment)
            with open(out, newline='', encoding='utf-8') as f:
                predicted = [{c: number(r[c]) for c in ('pred_step_time_s', 'pred_mem_gib')} for r in csv.DictReader(f)]
            return self.table.residuals(predicted)
        finally:
            self.free.append(folder)

    def many(self, values):
        return list(self.pool.map(self.one, values))


class Parameters:
    def __init__(self, rows, catalog):
        self.rows = rows
        self.slots = [[catalog.slot(path) for path in row['paths']] for row in rows]
        self.priors = numpy.array([row.get('prior', slots[0].value) for row, slots in zip(rows, self.slots)])
        self.sigmas = numpy.array([row['sigma'] for row in rows])
        self.start = numpy.array([math.log(slots[0].value / prior) for slots, prior in zip(self.slots, self.priors)])

    def values(self, x):
        """{slot: value}: the paths of a parameter keep the ratios they have in the files."""
        return {slot: slot.value * math.exp(xi - si) for slots, xi, si in zip(self.slots, x, self.start) for slot in slots}


def soft(residuals, weights):
    """Residuals whose squares are the weighted soft-L1 loss."""
    known = numpy.where(numpy.isnan(residuals), 0.0, residuals)
    loss = 2 * (numpy.sqrt(1 + (known / SOFT)**2) - 1) * SOFT**2
    return numpy.sign(known) * numpy.sqrt(loss * weights)


def fit(parameters, predictor, weights):
    memo = {}

    def residuals(x):
        key = x.tobytes()
        if key not in memo:
            memo.clear()
            memo[key] = predictor.one(parameters.values(x))
        return numpy.concatenate([soft(memo[key], weights), x / parameters.sigmas])

    def jacobian(x, step=0.01):
        base = residuals(x)
        moved = predictor.many([parameters.values(x + step * unit) for unit in numpy.eye(len(x))])
        columns = [(soft(m, weights) - base[:len(m)]) / step for m in moved]
        return numpy.vstack([numpy.array(columns).T, numpy.diag(1 / parameters.sigmas)])

    return least_squares(residuals, parameters.start, jac=jacobian, x_scale=parameters.sigmas, xtol=1e-3, ftol=1e-4, max_nfev=25)


def score(table, residuals):
    """{(source, column): (rows, mean |error|)}, and pooled under ALL."""
    errors = {}
    for point, r in zip(table.points, residuals):
        if not math.isnan(r):
            for source in (point[4], 'ALL'):
                errors.setdefault((source, point[1]), []).append(abs(math.expm1(r)))
    return {key: (len(v), sum(v) / len(v)) for key, v in errors.items()}


def print_scores(titles, scores):
    print(f'{"source":10} {"column":17} {"rows":>5} ' + ' '.join(f'{t:>10}' for t in titles))
    for key in scores[0]:
        print(f'{key[0]:10} {key[1]:17} {scores[0][key][0]:5} ' + ' '.join(f'{100 * s[key][1]:9.2f}%' for s in scores))


def cross_validate(parameters, predictor, table, folds):
    """Each group of (source, model, gpu, gpus) is predicted by constants fitted without it."""
    groups = sorted({p[5] for p in table.points})
    fold_of = {group: (i * 7919) % folds for i, group in enumerate(groups)}
    held_out = numpy.full(len(table.points), math.nan)
    for fold in range(folds):
        inside = [fold_of[p[5]] != fold for p in table.points]
        x = fit(parameters, predictor, table.weights(inside)).x
        residuals = predictor.one(parameters.values(x))
        held_out = numpy.where(inside, held_out, residuals)
    return held_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('table')
    parser.add_argument('--parameters', default=os.path.join(HERE, 'fit_parameters.json'))
    parser.add_argument('--only', help='comma list of parameter names or regular expressions')
    parser.add_argument('--check', action='store_true', help='print the score of the catalog as it is and stop')
    parser.add_argument('--cross-validate', type=int, metavar='K', default=0)
    parser.add_argument('--write', action='store_true', help='write the fitted values into profiles/catalog')
    options = parser.parse_args()

    catalog, table = Catalog(CATALOG), Table(options.table)
    with open(options.parameters, encoding='utf-8') as f:
        rows = json.load(f)['parameters']
    if options.only:
        rows = [r for r in rows if any(re.fullmatch(p, r['name']) for p in options.only.split(','))]
    parameters = Parameters(rows, catalog)
    predictor = Predictor(options.binary, table, catalog, workers=2)
    try:
        before = predictor.one(parameters.values(parameters.start))
        if options.check:
            print_scores(['now'], [score(table, before)])
            return
        result = fit(parameters, predictor, table.weights([True] * len(table.points)))
        after = predictor.one(parameters.values(result.x))
        titles, scores = ['before', 'fitted'], [score(table, before), score(table, after)]
        if options.cross_validate:
            titles.append('held out')
            scores.append(score(table, cross_validate(parameters, predictor, table, options.cross_validate)))
        print_scores(titles, scores)
        print(f'\ncost {2 * result.cost:.1f} after {result.nfev} evaluations')
        print(f'{"parameter":28} {"prior":>10} {"before":>10} {"fitted":>10} {"sigmas":>7}')
        for row, slots, prior, x in zip(rows, parameters.slots, parameters.priors, result.x):
            print(f'{row["name"]:28} {prior:10.4g} {slots[0].value:10.4g} {prior * math.exp(x):10.4g} {x / row["sigma"]:+7.2f}')
        if options.write:
            for file, text in catalog.edited(parameters.values(result.x)).items():
                with open(os.path.join(CATALOG, file), 'w', encoding='utf-8') as f:
                    f.write(text)
    finally:
        predictor.close()


if __name__ == '__main__':
    main()
