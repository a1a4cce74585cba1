-- Payments that are pending, failed, expired or refunded.
create index concurrently if not exists payments_not_paid
  on payments (school_id, state, created_at, id) where state <> 'paid';
