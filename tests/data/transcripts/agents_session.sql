-- The tables of SQLiteSession, with two sessions.
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);
CREATE TABLE agent_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL, created_at TIMESTAMP
);
INSERT INTO agent_sessions (session_id) VALUES ('gate'), ('tower');
INSERT INTO agent_messages (session_id, message_data) VALUES
    ('gate', '{"role": "user", "content": "Who is at the gate?"}'),
    ('tower', '{"role": "user", "content": "Which bell rings first?"}'),
    ('tower', '{"type": "function_call", "call_id": "call_01", "name": "look", "arguments": "{}"}'),
    ('gate', '{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Nobody."}]}'),
    ('tower', '{"type": "function_call_output", "call_id": "call_01", "output": "large bell"}'),
    ('tower', '{"torn": '),
    ('tower', '{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "The large one."}]}');
