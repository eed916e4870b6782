"""Reading the transcripts that people have: one module for each format; `read_transcript` in reading.py."""
