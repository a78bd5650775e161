"""What the prevalence is now, from scores without labels."""
