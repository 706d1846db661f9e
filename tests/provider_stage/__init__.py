"""A closed stage for search providers: their real servers, metered, with a fake API behind them."""
