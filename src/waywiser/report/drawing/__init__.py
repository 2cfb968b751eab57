"""What the plots of all products share: classes, look, kinds of charts, and files."""
