-- Subscriptions sorted by the end of the paid period.
create index concurrently if not exists subscriptions_by_period
  on subscriptions (school_id, current_period_ends_at, id);
