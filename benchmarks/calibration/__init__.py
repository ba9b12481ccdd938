"""Fits the coefficients to measured rows and says how far the estimates are from them.

Development only. The measured rows are not part of this repository: `EC2_PICK_SHARED` names the
folder that holds `data/benchmarks_*.csv`, else `../shared` beside the checkout is looked at.
"""
