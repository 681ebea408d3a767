"""Lastro: the Django project and its console in one package."""
