"""Log text is hostile: none of it reaches a terminal, a page or a shell as more than text, and nothing leaves the machine."""
