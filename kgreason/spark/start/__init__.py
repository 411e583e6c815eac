"""Make a Spark session for users who have none.

java      finds a Java that PySpark runs on
launch    starts this Java
session   makes a session, also for one command of the command line
failures  turns errors of Spark into errors of kgreason
"""
