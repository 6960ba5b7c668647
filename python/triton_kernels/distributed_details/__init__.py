"""What experts on several ranks are made of."""
