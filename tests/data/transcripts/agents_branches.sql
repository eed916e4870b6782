-- What AdvancedSQLiteSession adds: the rows of each branch, in order.
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);
CREATE TABLE agent_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL, created_at TIMESTAMP
);
CREATE TABLE message_structure (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_id INTEGER NOT NULL,
    branch_id TEXT NOT NULL DEFAULT 'main', message_type TEXT NOT NULL, sequence_number INTEGER NOT NULL
);
INSERT INTO agent_messages (session_id, message_data) VALUES
    ('tower', '{"role": "user", "content": "Which bell?"}'),
    ('tower', '{"role": "assistant", "content": "The large one."}'),
    ('tower', '{"role": "user", "content": "Sell it."}'),
    ('tower', '{"role": "user", "content": "Ring it."}');
INSERT INTO message_structure (session_id, message_id, branch_id, message_type, sequence_number) VALUES
    ('tower', 1, 'main', 'user', 1), ('tower', 2, 'main', 'assistant', 2), ('tower', 3, 'main', 'user', 3),
    ('tower', 1, 'branch_2', 'user', 4), ('tower', 2, 'branch_2', 'assistant', 5), ('tower', 4, 'branch_2', 'user', 6);
