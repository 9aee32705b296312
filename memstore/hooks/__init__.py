"""What git calls: checks of staged files and of commit messages, without click or Whoosh."""
