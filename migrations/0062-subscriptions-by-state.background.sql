-- Subscriptions of a state.
create index concurrently if not exists subscriptions_by_state
  on subscriptions (school_id, state, created_at, id);
