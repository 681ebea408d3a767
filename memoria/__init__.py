"""What a ticket's memory is and how it may change.

Pure: no Django, no clock, no random id, no input or output. Things are handed in and handed out.
`docs/domain.md` explains the rules by number; every name here that implements one cites it.
"""
