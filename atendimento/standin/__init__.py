"""A stand-in for a language model, for the demonstration and the tests: rules of thumb for Portuguese support messages.

It is a server of its own that speaks the OpenAI protocol, and knows nothing of this product but what each request tells
it: the fields' labels, paths and schemas, the state, and the messages. One rule of thumb is one small function, in the
module named for its purpose. The same request always has the same answer.
"""
