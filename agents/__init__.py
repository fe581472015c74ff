"""The agent: its loop, its models, and its runs in the threads of the chat."""
