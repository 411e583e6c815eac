"""Other libraries of knowledge graphs, each an extra: they read and edit graphs of kgreason, or are followed by one."""
