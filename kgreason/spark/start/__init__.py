"""A Spark session for those who have none.

java, launch, network  a Java that PySpark runs on; starting it; whether anything answers at a master
session, command       a session; a session for one command
failures               errors of Spark as errors of kgreason
"""
