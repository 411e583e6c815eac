"""`kgreason run`: several files, imports, layouts of files, chosen relations, numbers, costs."""
