import os

from filing_events import Client, file_cursor

client = Client(os.environ["BASE_URL"], os.environ["API_KEY"])

for change in client.changes(form="8-K").follow(cursor=file_cursor("state")):
    filing = change["filing"]
    print(filing["acceptedAt"], filing["companyName"], *filing["items"], filing["documentUrl"], flush=True)
