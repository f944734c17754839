"""What words say: terms of the law, accounts and statements in documents and pages."""
