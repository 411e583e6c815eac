"""What a session runs on: its master, its workers, and what they do.

network     checks that a Spark master answers
workers     checks that Spark's workers can run kgreason
sizes       into how many parts facts and shuffles are divided, and how large a part may become
watch       moves bars while Spark works, and says what Spark waits for
"""
