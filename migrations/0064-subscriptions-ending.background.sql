-- Subscriptions that end with the paid period.
create index concurrently if not exists subscriptions_ending
  on subscriptions (school_id, created_at, id) where cancel_at_period_end;
