"""What the scripts share. Each script in the folder above is what a user types."""
