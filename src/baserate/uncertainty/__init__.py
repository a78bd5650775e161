"""From a number to what is known about it: the only room that draws random numbers."""
