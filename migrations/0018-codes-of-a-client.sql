-- Ending an app takes back its codes that nobody has exchanged yet, and deleting a client or a membership
-- looks for any. Not a partial index by consumed_at: the exchange of a code then stays a HOT update.
create index authorization_codes_by_client on authorization_codes (school_id, client_id, user_id);
