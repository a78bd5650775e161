"""What several tests need: `helpers` for pytest (by its setting `pythonpath`), and with ``PYTHONPATH=tests``."""
